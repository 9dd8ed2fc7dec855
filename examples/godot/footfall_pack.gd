# Builds an AnimationTree from the JSON that `footfall pack` writes beside its .glb (Godot 4).
#
#     var tree := FootfallPack.build("res://hero_pack.json", $Hero/AnimationPlayer)
#     $Hero.add_child(tree)
#     tree.set("parameters/walk/blend_position", Vector2(1.4, 0.0))        # speed, turn
#     tree.get("parameters/playback").travel("run")
#
# Every motion of the pack is a state: a blend space of its examples, or the one animation it has. Edges of a
# graph are states between two others; a change without an edge is a crossfade. The first motion plays at once.
class_name FootfallPack
extends RefCounted

const VERSION := 1
const FADE_S := 0.3


static func build(json_path: String, player: AnimationPlayer) -> AnimationTree:
	var pack: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(json_path))
	assert(int(pack["footfall_pack"]) == VERSION, "a pack of another version")
	for entry: Dictionary in pack["animations"]:
		if entry["loop"] and player.has_animation(entry["animation"]):
			player.get_animation(entry["animation"]).loop_mode = Animation.LOOP_LINEAR
	var machine := AnimationNodeStateMachine.new()
	for node: Dictionary in pack["nodes"]:
		machine.add_node(node["node"], _state(node))
	var begin := AnimationNodeStateMachineTransition.new()
	begin.advance_mode = AnimationNodeStateMachineTransition.ADVANCE_MODE_AUTO
	machine.add_transition("Start", pack["nodes"][0]["node"], begin)
	_connect(machine, pack)
	var tree := AnimationTree.new()
	tree.tree_root = machine
	tree.anim_player = player.get_path()
	tree.active = true
	return tree


static func _state(node: Dictionary) -> AnimationRootNode:
	var points: Array = node["points"]
	var axes: Array = node["parameters"]
	if points.size() < 2 or axes.is_empty():
		return _animation(points[0]["animation"])
	if axes.size() == 1:
		var line := AnimationNodeBlendSpace1D.new()
		line.sync = true
		for point: Dictionary in points:
			line.min_space = minf(line.min_space, point["position"][0])
			line.max_space = maxf(line.max_space, point["position"][0])
			line.add_blend_point(_animation(point["animation"]), point["position"][0])
		return line
	var space := AnimationNodeBlendSpace2D.new()
	space.sync = true
	space.auto_triangles = true
	for point: Dictionary in points:
		var at := Vector2(point["position"][0], point["position"][1])
		space.min_space = space.min_space.min(at)
		space.max_space = space.max_space.max(at)
		space.add_blend_point(_animation(point["animation"]), at)
	return space


static func _animation(name: String) -> AnimationNodeAnimation:
	var node := AnimationNodeAnimation.new()
	node.animation = name
	return node


static func _connect(machine: AnimationNodeStateMachine, pack: Dictionary) -> void:
	for edge: Dictionary in pack["edges"]:
		if edge["animations"].is_empty():
			_add(machine, edge["from"], edge["to"], false)
			continue
		var between := "%s to %s" % [edge["from"], edge["to"]]
		if not machine.has_node(between):
			machine.add_node(between, _animation(edge["animations"][0]))
		_add(machine, edge["from"], between, false)
		_add(machine, between, edge["to"], true)
	if pack["edges"].is_empty():
		for one: Dictionary in pack["nodes"]:
			for other: Dictionary in pack["nodes"]:
				if one["node"] != other["node"]:
					_add(machine, one["node"], other["node"], not one["loop"])


static func _add(
	machine: AnimationNodeStateMachine, from: String, to: String, at_end: bool
) -> void:
	var change := AnimationNodeStateMachineTransition.new()
	change.xfade_time = FADE_S
	if at_end:
		change.switch_mode = AnimationNodeStateMachineTransition.SWITCH_MODE_AT_END
		change.advance_mode = AnimationNodeStateMachineTransition.ADVANCE_MODE_AUTO
	machine.add_transition(from, to, change)
