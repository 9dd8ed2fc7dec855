// Generated from messages.py by `python tools/write_page_types.py`: change it there.
// A field of a message to the server that has a default may be left out; the page always gets every field.


/** Show a blend space, a built-in one or one of BlendSpaces. */
export interface BlendOpen {
  readonly type: "blend_open";
  readonly space: string;
}

/** Where the handle is: only the newest is answered, by BlendAnswer and a binary frame. */
export interface BlendAsk {
  readonly type: "blend_ask";
  readonly space: string;
  readonly method: string;
  readonly values: readonly number[];
  readonly serial: number;
}

/** Maps of every method, the named one first, over the plane through `values`; the newest wish ends older ones. */
export interface BlendMaps {
  readonly type: "blend_maps";
  readonly space: string;
  readonly method: string;
  readonly values: readonly number[];
  readonly serial: number;
}

/** A blend space of library clips. */
export interface BlendMake {
  readonly type: "blend_make";
  readonly name: string;
  readonly clips: readonly string[];
}

/** Make the clip, feet locked, and put it into the library; BlendKept tells its key. */
export interface BlendKeep {
  readonly type: "blend_keep";
  readonly space: string;
  readonly method: string;
  readonly values: readonly number[];
  readonly seconds?: number | null;
}

/** Nobody looks any more: what is being mapped can be left. */
export interface BlendClose {
  readonly type: "blend_close";
}

/** The blend spaces there are, and the ways to weigh their examples. */
export interface BlendSpaces {
  readonly type: "blend_spaces";
  readonly names: readonly string[];
  readonly own: readonly string[];
  readonly methods: readonly Method[];
}

/** An example of a blend space. */
export interface BlendExample {
  readonly name: string;
  readonly values: readonly number[];
}

/** The answer to BlendOpen. */
export interface BlendSpaceOpened {
  readonly type: "blend_space_opened";
  readonly space: string;
  readonly parameters: readonly string[];
  readonly units: readonly string[];
  readonly axes: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly examples: readonly BlendExample[];
  readonly skeleton: SkeletonView;
  readonly isLoop: boolean;
  readonly apex: number | null;
  readonly note: string;
}

/** What a request gives; its poses come just before it as a binary frame of this serial.

    The frame holds poses at even canonical times, as seen from the carrier, which is the last of its joints. */
export interface BlendAnswer {
  readonly type: "blend_answer";
  readonly serial: number;
  readonly asked: readonly number[];
  readonly achieved: readonly number[];
  readonly weights: readonly number[];
  readonly keyTimesS: readonly number[];
  readonly inside: boolean;
  readonly off: string;
}

/** Pictures of one method; a coarse one may come before a fine one. Rows from low to high, one after the other. */
export interface BlendMap {
  readonly type: "blend_map";
  readonly serial: number;
  readonly method: string;
  readonly rows: number;
  readonly columns: number;
  readonly error: readonly number[];
  readonly kappa: readonly number[];
  readonly inside: readonly boolean[];
  readonly weights: readonly (readonly number[])[];
  readonly meanError: number;
  readonly meanKappa: number;
  readonly flow: readonly (readonly number[])[];
  readonly isLast: boolean;
}

/** How far the maps of a serial are; 1: all there. */
export interface BlendMapping {
  readonly type: "blend_mapping";
  readonly serial: number;
  readonly share: number;
  readonly text: string;
}

/** The clip that BlendKeep asked for is in the library. */
export interface BlendKept {
  readonly type: "blend_kept";
  readonly key: string;
  readonly name: string;
  readonly warnings: readonly string[];
}

/** A clip on a track. */
export interface PlacedClip {
  readonly id: number;
  readonly clip: string;
  readonly startS: number | null;
  readonly trimS: readonly [number, number] | null;
  readonly speed: number;
  readonly mirror: boolean;
  readonly repeat: number;
  readonly method: string | null;
  readonly animation: string | null;
}

/** A character's clips. */
export interface DocumentTrack {
  readonly id: number;
  readonly name: string;
  readonly character: string | null;
  readonly clips: readonly PlacedClip[];
  readonly place: readonly [number, number, number] | null;
}

/** A moment somebody wants to find again. */
export interface TimeMarker {
  readonly atS: number;
  readonly name?: string;
}

/** Everything arranged; a track may be empty here, and is left out of the file. */
export interface Document {
  readonly tracks: readonly DocumentTrack[];
  readonly markers: readonly TimeMarker[];
  readonly ground: string;
  readonly spaces: readonly OwnSpace[];
}

/** Put a library item on a track; track None makes a new one. */
export interface AddClip {
  readonly do: "add_clip";
  readonly clip: string;
  readonly track?: number | null;
  readonly startS?: number | null;
  readonly trimS?: readonly [number, number] | null;
  readonly after?: number | null;
}

/** Put a clip at another time, or on another track; start None: as soon as possible. */
export interface MoveClip {
  readonly do: "move_clip";
  readonly id: number;
  readonly startS?: number | null;
  readonly track?: number | null;
  readonly along?: readonly number[];
}

/** Use a part of a clip only; moving the left edge moves its start too. */
export interface TrimClip {
  readonly do: "trim_clip";
  readonly id: number;
  readonly trimS: readonly [number, number] | null;
  readonly startS?: number | null;
  readonly along?: readonly number[];
}

/** Change how a clip is played or joined; what is None stays. method "" gives the planner its choice back. */
export interface ChangeClip {
  readonly do: "change_clip";
  readonly id: number;
  readonly speed?: number | null;
  readonly mirror?: boolean | null;
  readonly repeat?: number | null;
  readonly method?: string | null;
  readonly clip?: string | null;
}

/** The same again, after it, or where it is put. */
export interface DuplicateClip {
  readonly do: "duplicate_clip";
  readonly id: number;
  readonly startS?: number | null;
  readonly track?: number | null;
}

/** Take clips off the timeline. */
export interface RemoveClips {
  readonly do: "remove_clips";
  readonly ids: readonly number[];
  readonly ripple?: boolean;
}

/** Two clips out of one at a second of the timeline; as long as neither is changed they are played through. */
export interface SplitClip {
  readonly do: "split_clip";
  readonly id: number;
  readonly atS: number;
}

/** All markers there are from now on. */
export interface SetMarkers {
  readonly do: "set_markers";
  readonly markers: readonly TimeMarker[];
}

/** Put standing before a clip, which then follows by itself. */
export interface FillGap {
  readonly do: "fill_gap";
  readonly id: number;
}

/** Another character. */
export interface AddTrack {
  readonly do: "add_track";
  readonly name?: string;
  readonly character?: string | null;
}

/** Another name or body; what is None stays, character "" is the first clip's own. */
export interface ChangeTrack {
  readonly do: "change_track";
  readonly id: number;
  readonly name?: string | null;
  readonly character?: string | null;
}

/** Where on the floor a character begins: x, z in metres, heading in degrees; None: where its first clip does. */
export interface PlaceTrack {
  readonly do: "place_track";
  readonly id: number;
  readonly place?: readonly [number, number, number] | null;
}

/** Take a character away. */
export interface RemoveTrack {
  readonly do: "remove_track";
  readonly id: number;
}

export type Change = AddClip | MoveClip | TrimClip | ChangeClip | DuplicateClip | RemoveClips | SplitClip | FillGap | AddTrack | ChangeTrack | RemoveTrack | SetMarkers | PlaceTrack | SetGround | MeetTracks | KeepSpace | ForgetSpace;

export type Grade = "good" | "fair" | "poor" | "unknown";

/** Two clips joined by methods, at a moment; without one each method chooses its own. */
export interface CompareJoins {
  readonly type: "compare_joins";
  readonly first: string;
  readonly second: string;
  readonly serial: number;
  readonly methods?: readonly string[];
  readonly leaveS?: number | null;
  readonly enterS?: number | null;
  readonly lengthS?: number | null;
}

/** How alike two clips are for every leaving and entry time. */
export interface MapJoins {
  readonly type: "map_joins";
  readonly first: string;
  readonly second: string;
  readonly serial: number;
  readonly lengthS?: number;
}

/** The join as a clip of the library, put at the end of a track. */
export interface UseJoin {
  readonly type: "use_join";
  readonly first: string;
  readonly second: string;
  readonly method: string;
  readonly leaveS?: number | null;
  readonly enterS?: number | null;
  readonly lengthS?: number | null;
  readonly track?: number | null;
}

/** Which of these clips blend with each other, and why others do not. */
export interface MapLibrary {
  readonly type: "map_library";
  readonly keys: readonly string[];
  readonly serial: number;
}

/** A copy of a clip in which a fault beside another is gone, as a new clip of the library. */
export interface CureClip {
  readonly type: "cure_clip";
  readonly key: string;
  readonly other: string;
  readonly kind: string;
}

/** The two clips as they are joined; JoinMade follows for each method, in their order. */
export interface JoinedPair {
  readonly type: "joined_pair";
  readonly serial: number;
  readonly skeleton: SkeletonView;
  readonly seconds: readonly [number, number];
  readonly methods: readonly Method[];
}

/** A figure of the judge beside its limit. */
export interface JoinFigure {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly ok: boolean;
}

/** What happens around a join, from start_s (seconds after the first clip is left) on. */
export interface JoinCurves {
  readonly startS: number;
  readonly fps: number;
  readonly skateCmS: readonly number[];
  readonly pushMS2: readonly number[];
  readonly excessMS2: readonly number[];
}

/** A join by one method; its poses around the seam come as a binary frame of this serial and number before it. */
export interface JoinMade {
  readonly type: "join_made";
  readonly serial: number;
  readonly number: number;
  readonly method: string;
  readonly problem: string | null;
  readonly joinS: number;
  readonly endS: number;
  readonly leaveS: number;
  readonly enterS: number;
  readonly grade: Grade;
  readonly seen: readonly string[];
  readonly reason: string;
  readonly figures: readonly JoinFigure[];
  readonly curves: JoinCurves | null;
}

/** A moment at which the clips are more alike than around it. */
export interface JoinSpot {
  readonly leaveS: number;
  readonly enterS: number;
  readonly unlikeCm: number;
  readonly grade: Grade;
  readonly seen: string;
}

/** How unlike the clips are, over leaving times (rows) and entry times (columns); the coarse one comes first. */
export interface JoinMap {
  readonly type: "join_map";
  readonly serial: number;
  readonly lengthS: number;
  readonly leaveS: readonly [number, number];
  readonly enterS: readonly [number, number];
  readonly rows: number;
  readonly columns: number;
  readonly unlikeCm: readonly [number, number];
  readonly cells: string;
  readonly isFine: boolean;
  readonly spots: readonly JoinSpot[];
}

/** The spots again, with what the judge says of those that were made so far. */
export interface JoinSpots {
  readonly type: "join_spots";
  readonly serial: number;
  readonly spots: readonly JoinSpot[];
}

/** A cure that is done by a click: CureClip. */
export interface ClipFix {
  readonly label: string;
  readonly key: string;
  readonly other: string;
}

/** What keeps two clips from blending, or is wrong with one of them. */
export interface ClipFault {
  readonly a: string;
  readonly b: string | null;
  readonly kind: string;
  readonly why: string;
  readonly cure: string;
  readonly fixes: readonly ClipFix[];
}

/** The answer to MapLibrary; share grows to 1 while clips are analysed, and then all is told. */
export interface LibraryMap {
  readonly type: "library_map";
  readonly serial: number;
  readonly share: number;
  readonly keys: readonly string[];
  readonly faults: readonly ClipFault[];
  readonly leftOut: readonly string[];
}

/** A character to steer. */
export interface LiveStart {
  readonly type: "live_start";
  readonly graph?: string;
  readonly character?: string;
  readonly ground?: string;
}

/** What is asked of it; with a target it chases that point on the floor. */
export interface LiveSteer {
  readonly type: "live_steer";
  readonly motion?: string | null;
  readonly speed?: number | null;
  readonly turn?: number | null;
  readonly side?: number | null;
  readonly target?: readonly [number, number] | null;
  readonly sentMs?: number;
}

/** Do an action once. */
export interface LiveAct {
  readonly type: "live_act";
  readonly name: string;
}

/** The newest poses the page has shown: one that falls behind is sent no more until it has caught up. */
export interface LiveSeen {
  readonly type: "live_seen";
  readonly tick: number;
  readonly crowd?: number;
}

/** Start or stop recording; a recording becomes a library item. */
export interface LiveRecord {
  readonly type: "live_record";
  readonly on: boolean;
}

/** No character any more. */
export interface LiveStop {
  readonly type: "live_stop";
}

/** Make the studio's folder playable: build the graph of its recordings; LiveFound and LiveGraphs answer. */
export interface LiveMake {
  readonly type: "live_make";
  readonly used?: readonly number[] | null;
}

/** What the folder's graph was built of; LiveFound answers. */
export interface LiveLook {
  readonly type: "live_look";
}

/** Push the character. */
export interface LiveShove {
  readonly type: "live_shove";
  readonly x: number;
  readonly z: number;
}

/** So many more characters that wander about; poses come as frames of many bodies. */
export interface LiveCrowd {
  readonly type: "live_crowd";
  readonly count: number;
}

/** A motion of the graph. */
export interface LiveNode {
  readonly name: string;
  readonly isAction: boolean;
  readonly parameters: readonly string[];
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly examples: readonly (readonly number[])[];
}

/** The answer to LiveStart; poses follow as binary frames at 60 a second. */
export interface LiveGraph {
  readonly type: "live_graph";
  readonly name: string;
  readonly nodes: readonly LiveNode[];
  readonly edges: readonly (readonly [string, string])[];
  readonly types: readonly string[];
  readonly actions: readonly string[];
  readonly skeleton: SkeletonView;
  readonly character: string;
  readonly ground: string;
}

/** What the character walks on, around it: after LiveGraph, and again when it has gone far; None: the floor. */
export interface LiveGroundShape {
  readonly type: "live_ground";
  readonly shape: GroundView | null;
}

/** The grounds there are. */
export interface GroundList {
  readonly type: "grounds";
  readonly items: readonly GroundItem[];
}

/** Where the live character is, ten times a second. */
export interface LiveState {
  readonly type: "live_state";
  readonly timeS: number;
  readonly node: string;
  readonly edge: string;
  readonly genericTime: number;
  readonly weights: readonly number[];
  readonly asked: Readonly<Record<string, number>>;
  readonly achieved: Readonly<Record<string, number>>;
  readonly latencyS: number;
  readonly waiting: string;
  readonly clamped: boolean;
  readonly slideCmS: number;
  readonly depthMm: number;
  readonly recordingS: number | null;
  readonly blocked: boolean;
}

/** The graphs there are now. */
export interface LiveGraphs {
  readonly type: "live_graphs";
  readonly names: readonly string[];
}

/** A stretch of a recording that a graph can use: a cycle of a gait, or an action. */
export interface FoundRow {
  readonly id: number;
  readonly kind: "cycle" | "action";
  readonly label: string;
  readonly file: string;
  readonly startS: number;
  readonly endS: number;
  readonly use: boolean;
  readonly why: string;
  readonly speedMS: number;
  readonly turnDegS: number;
  readonly figures: readonly (readonly number[])[];
}

/** What was found in the folder, as a sheet to tick. */
export interface LiveFound {
  readonly type: "live_found";
  readonly graph: string;
  readonly rows: readonly FoundRow[];
  readonly told: readonly string[];
  readonly leftOut: readonly (readonly [string, string])[];
}

export type Phase = "DS" | "LS" | "RS" | "NS";

/** A body to draw: one capsule a bone. */
export interface SkeletonView {
  readonly names: readonly string[];
  readonly parents: readonly number[];
  readonly radii: readonly number[];
  readonly roles: readonly string[];
  readonly ends: readonly (readonly [number, number, number])[];
  readonly heightM: number;
  readonly skin: string | null;
  readonly rest: readonly (readonly number[])[];
}

/** A way of joining that can be chosen by hand. */
export interface Method {
  readonly name: string;
  readonly description: string;
}

/** A ground that can be chosen; its key is empty for the level floor. */
export interface GroundItem {
  readonly key: string;
  readonly name: string;
}

/** A ground to draw, little-endian: x y z of its corners, three numbers a triangle, x y z of both ends of lines. */
export interface GroundView {
  readonly vertices: string;
  readonly triangles: string;
  readonly lines: string;
}

/** A blend space made of library clips. */
export interface OwnSpace {
  readonly name: string;
  readonly clips: readonly string[];
}

/** What all characters walk on: key of a GroundItem; one by name is laid before the first of them. */
export interface SetGround {
  readonly do: "set_ground";
  readonly ground: string;
}

/** The second character, or when it is due either, is placed so that both face each other at a second. */
export interface MeetTracks {
  readonly do: "meet_tracks";
  readonly first: number;
  readonly second: number;
  readonly atS: number;
  readonly apartM?: number;
}

/** A blend space of the project; one of the same name is replaced. */
export interface KeepSpace {
  readonly do: "keep_space";
  readonly space: OwnSpace;
}

/** No such blend space any more. */
export interface ForgetSpace {
  readonly do: "forget_space";
  readonly name: string;
}

/** A walk along a line that was drawn on the floor, as a clip at the end of a track. */
export interface DrawWalk {
  readonly type: "draw_walk";
  readonly points: readonly (readonly [number, number])[];
  readonly motion?: string;
  readonly speed?: number;
  readonly track?: number | null;
}

/** The ground under the take; its characters stand on it as soon as their feet are put there. */
export interface TakeGround {
  readonly type: "take_ground";
  readonly shape: GroundView | null;
}

/** A stretch with the same feet on the floor; seconds from the clip's beginning on the timeline. */
export interface PhaseSpan {
  readonly startS: number;
  readonly endS: number;
  readonly phase: Phase;
}

/** Where a clip lies on the timeline, as planned. */
export interface ClipView {
  readonly id: number;
  readonly name: string;
  readonly startS: number;
  readonly endS: number;
  readonly composed: boolean;
  readonly phases: readonly PhaseSpan[];
  readonly sourceS: number;
}

/** A way of joining that was not possible. */
export interface Refused {
  readonly method: string;
  readonly reason: string;
}

/** What can be done about a join that is not believed. */
export interface Cure {
  readonly label: string;
  readonly why: string;
  readonly change: Change;
}

/** How two neighbours are joined, and how well. */
export interface JoinView {
  readonly before: number;
  readonly after: number;
  readonly kind: string;
  readonly startS: number;
  readonly endS: number;
  readonly reason: string;
  readonly phases: readonly [string, string] | null;
  readonly refused: readonly Refused[];
  readonly skateRatio: number | null;
  readonly excessMS2: number | null;
  readonly grade: Grade;
  readonly seen: string;
  readonly cures: readonly Cure[];
}

/** A track that was joined; problem says in a sentence why it was not. */
export interface TrackView {
  readonly id: number;
  readonly startS: number;
  readonly endS: number;
  readonly clips: readonly ClipView[];
  readonly joins: readonly JoinView[];
  readonly problem: string | null;
}

/** A clip that can be dragged onto the timeline; its poses come from /clips/{key}/poses. */
export interface LibraryItem {
  readonly key: string;
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly seconds: number;
  readonly fps: number;
  readonly speedMS: number;
  readonly isLoop: boolean;
  readonly phases: readonly PhaseSpan[];
  readonly problem: string | null;
  readonly tags: readonly string[];
  readonly favourite: boolean;
  readonly warnings: readonly string[];
  readonly file: string;
  readonly removable: boolean;
  readonly onTheSpot: boolean;
}

/** The first message of a socket. */
export interface Hello {
  readonly type: "hello";
  readonly token?: string;
}

/** Do it for good; it can be undone. */
export interface Edit {
  readonly type: "edit";
  readonly change: Change;
  readonly label?: string;
}

/** What the change would give, while the pointer still moves: only the newest is answered. */
export interface Drag {
  readonly type: "drag";
  readonly change: Change;
  readonly serial: number;
  readonly playheadS: number;
}

/** The pointer was let go without a change: back to what was. */
export interface DragEnd {
  readonly type: "drag_end";
}

/** Take the last change back. */
export interface Undo {
  readonly type: "undo";
}

/** Do again what was taken back. */
export interface Redo {
  readonly type: "redo";
}

/** An empty project, or the demo. */
export interface New {
  readonly type: "new";
  readonly demo?: boolean;
}

/** Open a project file of the folder. */
export interface Open {
  readonly type: "open";
  readonly path: string;
}

/** Write the project; path None: where it was. */
export interface Save {
  readonly type: "save";
  readonly path?: string | null;
}

/** Take up, or throw away, what was not saved when the studio ended last. */
export interface Recover {
  readonly type: "recover";
  readonly keep: boolean;
}

/** Write the take to a file to download. */
export interface Export {
  readonly type: "export";
  readonly format: "glb" | "bvh" | "npz" | "mp4";
  readonly track?: number | null;
  readonly fps?: number | null;
  readonly rangeS?: readonly [number, number] | null;
  readonly inPlace?: boolean;
  readonly bare?: boolean;
  readonly name?: string;
  readonly large?: boolean;
}

/** Stop a job. */
export interface Cancel {
  readonly type: "cancel";
  readonly job: number;
}

/** One file with all about a join, to send or to try again. */
export interface ReportJoin {
  readonly type: "report_join";
  readonly before: number;
  readonly after: number;
}

/** Note something of a library clip; what is None stays, name "" is the library's own again. */
export interface Mark {
  readonly type: "mark";
  readonly key: string;
  readonly name?: string | null;
  readonly favourite?: boolean | null;
}

/** Take a clip that was uploaded or recorded out of the library, with its file. */
export interface Remove {
  readonly type: "remove";
  readonly key: string;
}

/** Which clips are like this one at that second? */
export interface Like {
  readonly type: "like";
  readonly key: string;
  readonly timeS: number;
}

export type ToServer = Hello | Edit | Drag | DragEnd | Undo | Redo | New | Open | Save | Recover | Export | Cancel | ReportJoin | Mark | Remove | Like | LiveStart | LiveSteer | LiveAct | LiveRecord | LiveStop | DrawWalk | CompareJoins | MapJoins | UseJoin | MapLibrary | CureClip | LiveMake | LiveLook | LiveShove | LiveCrowd | LiveSeen | BlendOpen | BlendAsk | BlendMaps | BlendMake | BlendKeep | BlendClose;

/** The answer to Hello; Project and Take follow. */
export interface Welcome {
  readonly type: "welcome";
  readonly version: string;
  readonly folder: string | null;
  readonly library: readonly LibraryItem[];
  readonly characters: readonly string[];
  readonly methods: readonly Method[];
  readonly graphs: readonly string[];
  readonly files: readonly string[];
  readonly recoverable: string | null;
}

/** What is arranged, after every change, to every page. */
export interface Project {
  readonly type: "project";
  readonly revision: number;
  readonly document: Document;
  readonly path: string | null;
  readonly saved: boolean;
  readonly undo: string | null;
  readonly redo: string | null;
}

/** What came out of a revision; poses of every track follow as binary frames of this revision. */
export interface Take {
  readonly type: "take";
  readonly revision: number;
  readonly durationS: number;
  readonly tracks: readonly TrackView[];
  readonly skeletons: readonly (SkeletonView | null)[];
  readonly tookMs: number;
}

/** The answer to a Drag; the poses under the playhead come as binary frames of this serial just before it. */
export interface Preview {
  readonly type: "preview";
  readonly serial: number;
  readonly durationS: number;
  readonly tracks: readonly TrackView[];
  readonly snapsS: readonly number[];
  readonly tookMs: number;
}

/** A library item that was uploaded, recorded or found. */
export interface Added {
  readonly type: "added";
  readonly item: LibraryItem;
}

/** A body of the shelf. */
export interface CharacterItem {
  readonly key: string;
  readonly name: string;
  readonly heightM: number;
  readonly problem: string | null;
  readonly removable: boolean;
}

/** All bodies a track can have. */
export interface Characters {
  readonly type: "characters";
  readonly items: readonly CharacterItem[];
}

/** A clip with the moment that is like another's. */
export interface AlikeClip {
  readonly key: string;
  readonly timeS: number;
  readonly distanceCm: number;
}

/** The answer to Like, the likest first. */
export interface Alike {
  readonly type: "alike";
  readonly key: string;
  readonly found: readonly AlikeClip[];
}

/** Library items that are no more. */
export interface Removed {
  readonly type: "removed";
  readonly keys: readonly string[];
}

/** A project of the folder. */
export interface ProjectFile {
  readonly path: string;
  readonly changedS: number;
  readonly clips: readonly string[];
  readonly count: number;
}

/** All projects of the folder, the newest first. */
export interface Projects {
  readonly type: "projects";
  readonly files: readonly ProjectFile[];
}

/** How far something that takes its time has come. */
export interface Job {
  readonly type: "job";
  readonly id: number;
  readonly label: string;
  readonly share: number;
  readonly state: "running" | "done" | "cancelled" | "failed";
  readonly url: string | null;
  readonly problem: string | null;
}

/** One sentence, with the cure. */
export interface Problem {
  readonly type: "problem";
  readonly where: string;
  readonly text: string;
  readonly serial: number | null;
}

/** What a first start is busy with, once; shown as a thin bar until its share is 1. */
export interface Preparing {
  readonly type: "preparing";
  readonly text: string;
  readonly share: number;
}

export type ToPage = Welcome | Project | Take | TakeGround | Preview | Added | Removed | Alike | Projects | Characters | Job | Problem | Preparing | LiveGraph | LiveState | LiveGraphs | LiveGroundShape | GroundList | LiveFound | JoinedPair | JoinMade | JoinMap | JoinSpots | LibraryMap | BlendSpaces | BlendSpaceOpened | BlendAnswer | BlendMap | BlendMapping | BlendKept;
