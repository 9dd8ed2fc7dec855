"""Limits of legs and steps: how straight a leg may be, how fast a foot may go, how long a step takes.

Every such number of the product stands here, with its unit and where it came from. A prefix says whose it is; where
users differ on one question (how straight may a leg be?) their values stand side by side.

Prefixes: LEG_ every user of the leg solver, LOCK_ `foot_lock` (a whole clip), LIVE_ `live_lock` (frame by frame),
JOIN_ the feet of a join, STEP_ the steps it plans, GROUND_ clips put on a ground, STAND_ retargeting, PRINTS_ timelines
that start on footprints.
Lengths called "of the leg" are shares of hip to ankle along the bones. The built-in motions lie below this layer and
keep their own limit in `motions.rig`.

Origins: *CMU*: chosen by eye among about a dozen settings on the CMU takes that tools/measure_foot_lock.py measures.
*pairs*: by eye, on joins of captured and built-in clips (tools/make_join_pictures.py). *bodies*: by eye, on the
retargets of tools/measure_retarget.py. *live*: by eye, on walks, stops and switches of the built-in graph and of
motion matching. *ground*: by eye, on the clips of `footfall study ground`.
"""

from __future__ import annotations

# How straight a leg may be: distance from hip to ankle, of the leg.
LEG_SOFT_FROM = 0.97  # extension is slowed from here on. CMU
LEG_MAX_EXTENSION = 0.995  # never exceeded, unless the leg came longer. CMU
LOCK_STRAIGHT = 0.99  # corrected legs keep below: beyond, a knee jumps for a millimetre. CMU
JOIN_STRAIGHT = 0.985  # legs moved by a join keep below. pairs
JOIN_SWING_SOFT_FROM = 0.84  # a swinging leg of a join is slowed from here on. pairs
JOIN_SWING_STRAIGHT = 0.97  # and never stretched beyond. pairs
JOIN_JUDGED_STRAIGHT = 0.995  # a join that stretches a leg further, unless a source did, is at fault. pairs
STAND_EXTENSION = 0.995  # what a leg may be stretched to, unless it came stretched further. bodies
STAND_SOFT_FROM = 0.985  # extension is slowed from here on. bodies
STAND_MAX_EXTENSION = 0.9995  # never exceeded. bodies

# How far a leg may fold, and to which side a knee bends.
LEG_NEARLY_STRAIGHT = 0.15  # of the thigh, knee off the line hip-ankle: below, the pole helps to choose the side. CMU
LEG_ROUNDING = 1e-7  # of the thigh: a knee less off the line is the square root of a rounding error, not a bend
JOIN_FOLDED = 0.5  # of the leg: a swinging ankle comes no nearer to its hip. pairs
JOIN_FOLDED_SOFTLY = 0.03  # of the leg: width over which that begins. pairs
JOIN_BENT_M = 0.02  # metres: a knee farther off the line hip-ankle shows by itself where it bends to. pairs
STAND_BACKWARDS = 0.01  # of the thigh: knees farther behind the line hip-ankle bend the wrong way. bodies
LIVE_KNEE_RAD_S = 14.0  # rad/s that a knee turns at most; built-in walks and runs reach 12. live
LIVE_KNEE_FASTER = 1.2  # times as fast as its motion has it that it may turn where that is more. live
LIVE_KNEE_RAD_S2 = 300.0  # rad/s² with which it turns faster, at most. live
LIVE_KNEE_BRAKE_RAD_S2 = 150.0  # rad/s² with which one that straightens is stopped before it is straight. live
LIVE_KNEE_LOW_M = 0.002  # metres that a foot may be too low for that. live
LIVE_KNEE_ASIDE, LIVE_KNEE_ASIDE_FROM_M = 0.25, 0.1  # of what a foot is held from its motion, beyond so many metres,
# that it may be farther from its hip for that. live
LIVE_POLE_S = 0.15  # seconds in which a bent knee whose motion has it straight turns to where its toes point. live
LIVE_BACKWARDS = 0.3  # of the thigh: a knee farther behind the line is meant, and stays. live
LIVE_ASKEW = 0.5  # of the foot's length, squared, across the leg: less, as of pointed toes, does not show ahead. live

# How far a foot may be out of reach before the pelvis moves for it, of the leg.
LEG_FREE = 0.3  # a swinging foot; less as it nears its contact. CMU
JOIN_FREE = 0.3  # of LEG_FREE: a stepping foot. pairs

# How long the pelvis takes to give way.
LOCK_PELVIS_S = 0.08  # seconds: half-width of the smoothing of pelvis moves. CMU
JOIN_PELVIS_S = 0.08  # seconds: the same for joins. pairs
JOIN_SETTLE_S = 0.12  # seconds over which the pelvis may begin to move, after the departure and before the end. pairs
STAND_SETTLE_S = 0.06  # seconds: three half-widths of the smoothing of pelvis moves. bodies
LIVE_SHIFT_S = 0.025  # seconds: time constant of the pelvis. live
LIVE_LIFT_S = 0.15  # seconds: time constant of the body's height over the ground. live

# How a foot rolls or tips where its leg is short.
LOCK_ROLL_RAD = 0.4  # radians that a foot whose heel is free rolls further over its ball, at most. CMU
LOCK_ROLL_S = 0.025  # seconds: smoothing of that. CMU
LOCK_ROLL_LEVER_M = 0.05  # metres: a shorter lever about the ball is not used to its end. CMU
LOCK_HEEL_OFF_S = 0.05  # seconds until it begins once the heel is free. CMU
LOCK_TIP_RAD = 0.3  # radians: turn about the ball that keeps it in its place, at most. CMU
LOCK_TIP_S = 0.03  # seconds over which such turns grow after the ball is set down. CMU
STAND_FOOT_TAKES = 0.5  # share of what a leg is short of that its foot takes. bodies
STAND_FOOT_MOVES = 0.0095  # of the leg: how far an ankle moves for that, at most. bodies
STAND_SOFTLY_M = 0.004  # metres: shortness of about this much is not met in full, so no foot starts with a jerk. bodies
STAND_TOES_UP = 0.25  # rise of the foot's direction from which the heel carries it, and it does not tip. bodies
STAND_STEEP = (-0.4, -0.7)  # likewise down: between these a foot rolls from its ball on to its toes. bodies
JOIN_TIPTOE_RAD = 0.35  # radians by which the heel leads as a foot is lifted. pairs
JOIN_TIPTOE_M = 0.05  # metres of missing clearance that take all of that. pairs

# What counts as standing.
LOCK_SETTLED = 0.15  # share of a contact, at either end, that is landing or lifting. CMU; as quality.slide.LANDING
LOCK_FLICKER_S, LOCK_FLICKER_M = 0.12, 0.03  # seconds, metres: gone for less, and not farther, a point never left. CMU
LOCK_LEAVING = 0.1  # share of a contact, at its end, in which a ball that rolls off is let go. CMU
LIVE_LOW_M = 0.03  # metres over where it stands: a foot whose pose dies away is on the floor below this. live
LIVE_LOWER_M = 0.004  # metres: a hold passes on to a point that is lower by this much. live
LIVE_WRONG_M = 0.012  # metres over the lowest point: what is so high and said to be down does not stand. live
STEP_SETTLED_M = 0.012  # metres: a ball this near to where it stands has come to rest. pairs
STEP_STANDS_LOW_M = 0.04  # metres over the floor: where only a state is known, a ball this low … pairs
STEP_STANDS_SLOW_M_S = 0.25  # m/s: … and this slow stands. pairs
STEP_SINKS_M = 0.005  # metres: beyond a clip's end no standing foot comes to rest deeper than in the clip. pairs

# How a held foot is gripped and let go.
LIVE_EASE_S = 0.12  # seconds before it lands, and after it leaves, in which a foot counts for the pelvis. live
LIVE_FADE_S = 0.05  # seconds: time constant of what is left of a hold, in the swing. live
LIVE_SETTLE_S = 0.03  # seconds: time constant of a landed foot's height. live
LIVE_FASTEST_M_S = 3.0  # m/s with which an offset may go on when its foot leaves. live
LIVE_BRAKE_M_S2 = 50.0  # m/s² with which a foot that lands in flight comes to rest. live
LIVE_STOP_M_S2 = 40.0  # m/s² with which a falling foot is stopped at the ground. live
LIVE_SLAP_M_S2 = 150.0  # m/s² likewise of the rest of a sole that stands on its heel, ball or tip. live
LIVE_SUNK_M = 0.005  # metres that a sole may be in the ground where it does not stand: what captures have it be. live
LIVE_RISE_M_S = 1.0  # m/s with which a swinging foot is kept out of the ground. live
LIVE_NEAR_M = 0.22  # metres from its motion up to which a foot is held exactly. live
LIVE_FAR_M = 0.35  # metres from its motion beyond which no foot is held. live
JOIN_GRIP_S = 0.15  # seconds in which a held ball comes to stand still. pairs
JOIN_RELEASE_S, JOIN_LONG_RELEASE_S = 0.06, 0.25  # seconds in which it is let go: for a step, and where it stays. pairs
JOIN_SLOWING_S = 0.05  # seconds over which a foot comes to rest where a motion is left or awaited. pairs
JOIN_REST_S = 0.04  # seconds: time constant with which feet, rise and fall come to rest beyond a clip's end. pairs
JOIN_SOONEST_REST_S = 0.02  # seconds: the same where a body or foot would fall through the floor. pairs

# How much harder a foot lock may accelerate legs than the capture does.
LOCK_EXCESS_M_S2 = 33.0  # m/s² beyond the capture within ±0.1 s; quality.joins calls 40 clean. CMU
LOCK_KNEE_FASTER = 1.12  # times the capture's fastest knee; quality.knee allows 1.2. CMU
LOCK_KNEE_RAD_S = 1e-3  # rad/s: a knee that is slower in the capture is taken to turn with this. Rounding

# How far feet are moved, and when that is too little to matter.
LOCK_NEGLIGIBLE = 1e-9  # metres or radians: rounding, not an offset
LOCK_MOVED_M = 0.006  # metres: an offset of this size counts as a correction. CMU
JOIN_MOVED_M = 0.01  # metres: the same for joins. pairs
STEP_HELD_FAR_M = 0.35  # metres: feet are not held farther from the target's place. pairs
STEP_HELD_TURN_RAD = 0.6  # radians: nor turned more. pairs
STEP_BEHIND_M = 0.55  # metres: a foot that stands farther from the body holds it back. pairs

# How long a step takes, and how it goes.
STEP_S, STEP_S_M = 0.32, 0.25  # seconds a step takes, and seconds more for each metre. pairs
STEP_SWING_S = 0.12  # seconds that a foot that swings anyway takes to another place, at least. pairs
STEP_REST_S = 0.1  # seconds that a foot stands once it is set down, at least. pairs
STEP_SOON_S = 0.3  # seconds: a swinging foot that lands within this may be held where it lands. pairs
STEP_AFTER_S = 1.2  # seconds after the transition in which feet may still be on their way. pairs
STEP_LIFTS_S = (0.0, 0.08, 0.16, 0.26, 0.36, 0.46, 0.6)  # seconds at which a standing foot may begin to step. pairs
STEP_REACH_M_S2 = 16.0  # m/s² that reaching a place may cost a foot. pairs
STEP_SWING_M_S2 = 25.0  # m/s² that turning a swing into another may cost it. pairs
STEP_RISE_M_S2 = 18.0  # m/s² that lifting a foot may cost. pairs
STEP_CLEAR_M = 0.02  # metres a step goes high, …
STEP_CLEAR_OF_STEP = 0.055  # … metres more for each metre of the step, … captured swings
STEP_CLEAR_MOST_M = 0.09  # … and metres at most. captured swings
STEP_CLEAR_CALM_M = 0.032  # metres: how high a slow step goes. pairs
STEP_CLEAR_FROM_M = 0.03  # metres: shorter steps go less high, in proportion. pairs
STEP_WAIT_UP, STEP_WAIT_DOWN = 0.12, 0.10  # shares of a step in which the foot only goes up, or only down. pairs

# Where a pelvis is over its feet on the footprints of the previous clip.
PRINTS_RIDGE_M = 0.05  # metres: keeps the frame of feet and heading solvable as feet come in line. by eye
PRINTS_OVER_M = 0.1  # metres beyond the segment between the feet that the pelvis may go. by eye
PRINTS_IN_LINE_M = 0.05  # metres beside each other: feet with less stand in line. by eye

# Where feet are set on a ground.
GROUND_SAME_S, GROUND_SAME_M = 0.15, 0.12  # seconds, metres: gone for less, and not farther, a foot never left. ground
GROUND_RISE_M = 0.42  # metres a walking step may rise or fall: the height of a knee less a foot. ground
GROUND_RUN_RISE_M = 0.20  # metres a running step may. ground
GROUND_STEP_M = 0.19  # metres: steps cost little up to the steepest of stairs people build, much beyond. ground
GROUND_SHORTEST, GROUND_LONGEST = 0.22, 1.2  # of the clip's own step: how short and long a walking one may be. ground
GROUND_RUN_SHORTEST = 0.7  # of the clip's own step: how short a running one may be. ground
GROUND_MARKS_TIME, GROUND_MARKING = 4, 0.45  # level steps in a row, and their mean: shorter ones go nowhere. ground
GROUND_SLACK_M = 0.06  # metres by which a step may be shorter or longer than that, however short it is. ground
GROUND_STRIDE_M = 0.3  # metres: steps shorter than this are told by length, not as a share of the clip's. ground
GROUND_FIRST_M = 0.25  # metres that the first footfall may be moved along the way. ground
GROUND_AHEAD_M = 1.0  # metres that lengthened strides may lead ahead of the clip's own. ground
GROUND_SOLE_HALF_M = 0.035  # metres: half the width of a sole that must be carried. ground
GROUND_FLAT_M = 0.02  # metres: what is less under a sole still carries it, soft as it is. ground
GROUND_EDGE_M = 0.015  # metres that heel and tip rather keep from an edge. ground
GROUND_PITCH = 0.45  # rise for each metre beyond which a sole does not follow the ground. ground
GROUND_HANGS, GROUND_CLOSE, GROUND_TILT = 8.0, 0.15, 0.2  # what a sole in the air, near an edge or tilted costs. ground
GROUND_STRIDE, GROUND_RISES = 1.0, 0.6  # what a changed stride and a high step cost. ground
GROUND_FIRST = 2.0  # what it costs that the first footfall is moved, by GROUND_FIRST_M. ground

# How a gait slows on a grade: stride and pace each keep exp(-GROUND_TOBLER / 2 · steepness).
GROUND_TOBLER, GROUND_EASIEST = 3.5, 0.05  # for each metre a metre; and downhill, where walking is fastest. Tobler 1993
GROUND_STEEPEST = 0.3  # metres a metre: steeper ways, which are stairs, slow a stride no more by their grade. ground
GROUND_RUN_SLOWS = 0.4  # share of that which a run takes. ground
GROUND_STAIR_UP_S, GROUND_STAIR_DOWN_S = 0.705, 0.615  # seconds of a step on stairs … published (Riener et al. 2002)
GROUND_STAIR_M = 0.17  # metres: … of this rise. published (Riener et al. 2002)
GROUND_SLOWS_S = 0.15  # seconds: half-width of the smoothing of a change of pace. ground

# How the body goes over a ground.
GROUND_BODY_S = 0.11  # seconds: half-width of the smoothing of the body's way. ground
GROUND_LIFT_S = 0.15  # seconds: half-width of the smoothing of its height. ground
GROUND_STANDS_S = 0.7  # seconds: about how long a foot of a walk stands; longer, and a body stays over it. ground
GROUND_LOW = 0.3  # of the way from the lower of two footfalls to the higher that the body is at between them. ground
GROUND_PELVIS_S = (
    0.24  # seconds: half-width of the smoothing of pelvis moves on stairs, LOCK_PELVIS_S elsewhere. ground
)
GROUND_CLEAR_M = 0.025  # metres that a swinging sole keeps over what it passes. ground
GROUND_EDGE_S = 0.02  # seconds before and after passing an edge in which it counts as there. ground
GROUND_LANDS, GROUND_LANDS_S = 0.12, 0.08  # share of a swing, and seconds, in which that margin grows. ground
GROUND_LEAVES_S, GROUND_LEAVES_M = 0.4, 0.3  # seconds, and metres of its own, in which a foot that never lands comes to
# go with the body. ground
GROUND_DELAYS = (
    0.0,
    0.15,
    0.28,
    0.4,
)  # shares of a swing by which one up steps begins late, one down ends early. ground
GROUND_STEP_UP_M = 0.04  # metres: less of a rise asks for neither. ground
GROUND_FLATTER = 0.75  # of its roll, at most, that a foot gives up where strides are short or steps high. ground
GROUND_BENT = 0.04  # of the leg, times GROUND_FLATTER at most, that legs on high or short steps stay shorter. ground
GROUND_SWING_SOFT, GROUND_SWING_MOST = (
    0.9,
    0.965,
)  # of the leg: a swinging one is slowed from here, never beyond. ground
GROUND_REACHES_S = 0.15  # seconds before a strike in which that is let go. ground
GROUND_LEAN = 0.35  # radians the trunk leans for each metre a metre uphill; Leroux et al. 2002 have 0.3 to 0.5. ground
GROUND_LEAN_MOST = 0.16  # radians. ground
GROUND_LEAN_S = 0.3  # seconds: half-width of the smoothing of the lean. ground
TOES_M = 0.002  # metres of softness with which toes begin to bend at the ground. ground
TOES_S = 0.02  # seconds: half-width of the smoothing of how far they bend. CMU
TOES_EASE_S = 0.12  # seconds before and after their contact in which they come to lie on the floor. CMU

# How a live character goes over a ground, with only what lies ahead of its feet known.
LIVE_GROUND_GRAIN_M = 0.02  # metres between places along its way that a foot may be set at. live
LIVE_GROUND_AGAIN_S = 0.06  # seconds after which a swing looks again where its foot will land. live
LIVE_GROUND_CLOSE_S = 0.1  # seconds before a landing in which it looks twice as often. live
LIVE_GROUND_SAME_M = 0.03  # metres: a landing that is expected this near to where it was is not planned anew. live
LIVE_GROUND_LATE = 0.6  # share of a swing from which on its place on a tread is kept. live
LIVE_GROUND_SWING_S = 0.25  # seconds in which a foot goes from plane to plane, at least. live
LIVE_GROUND_BLIND_S = 0.3  # seconds a swing takes whose landing no motion tells. live
LIVE_GROUND_STRIDE_M = 0.08  # metres: shorter swings go by time, not by how far their foot has come. live
LIVE_GROUND_LANDS = 0.75  # share of a swing from which on what is left of that way is gone by time. live
LIVE_GROUND_REST_S = 0.06  # seconds: time constant of what a swing differs by from one planned anew. live
LIVE_GROUND_SETTLE_S = 0.03  # seconds: the same of a foot that has landed. live
LIVE_GROUND_LATER = 0.5  # share of how much sooner a foot goes up by which it goes ahead later. live
LIVE_GROUND_CLEAR_M = 0.025  # metres that a swinging sole keeps over what it passes. live
LIVE_GROUND_HIGHEST_M = 0.1  # metres that a swing is raised over its way, at most. live
LIVE_GROUND_BUMP_S = 0.05  # seconds: time constant with which a swing is raised over what lies in its way. live
LIVE_GROUND_UP_S, LIVE_GROUND_SOON_S = 0.04, 0.08  # seconds: a foot is kept out of the ground so fast, so long before
LIVE_GROUND_DEEP_M = 0.009  # metres: and never let in deeper. live
LIVE_GROUND_PLANE_M = 0.3  # metres from a foot up to which the ground is taken to go on as under it. live
LIVE_GROUND_BODY_S = 0.09  # seconds: time constant of the body's way and height. live
LIVE_GROUND_LEAD_S = 0.2  # seconds: time constant of the speed at which they are led. live
LIVE_GROUND_LOW = 0.25  # of what one foot stands higher than the other, that the body is lower than their mean. live
LIVE_GROUND_ROUND_M = 0.03  # metres: less of such a difference lowers it less. live
LIVE_GROUND_SHIFT_S = 0.06  # seconds: time constant of what the pelvis moves by so that feet reach. live
LIVE_GROUND_SOFT, LIVE_GROUND_MOST = 0.92, 0.985  # of the leg: a swinging one is slowed from here, never beyond. live
LIVE_GROUND_BENT_M, LIVE_GROUND_UNEVEN = 0.025, 0.15  # metres that a body is lower on such slopes, and steeper. live
LIVE_GROUND_FORESEE_S = (0.035, 0.07, 0.11, 0.16)  # seconds ahead at which a swing's sole is looked at for edges. live
LIVE_GROUND_OVER_M = 0.012  # metres that it is then kept over what is there. live
LIVE_GROUND_LIFT_M_S2 = 45.0  # m/s² with which a swing is raised over an edge, at most. live
LIVE_GROUND_KNEE_LOW_M, LIVE_GROUND_KNEE_LATE_M = 0.008, 0.2  # metres that a foot may be too low for its knee, and one
# that swings among steps, which are cleared in good time. live
LIVE_GROUND_KNEE_STEPS_RAD_S2 = 400.0  # rad/s² with which a knee turns faster, at most, where there are steps. live
LIVE_GROUND_NEAR_M, LIVE_GROUND_FAR_M = 0.12, 0.25  # LIVE_NEAR_M and LIVE_FAR_M among steps, whose sides are near.
# Where there are none, a foot that is farther from its motion than the first steps after it. live
LIVE_GROUND_CATCH_S, LIVE_GROUND_CATCH_M = 0.25, 0.03  # seconds, and metres up, of a step after a motion gone far. live
LIVE_GROUND_SLOWS_S, LIVE_GROUND_STANDS_S = 0.1, 0.5  # seconds: time constants of the pace, in steps and at rest. live

# Where steps lie ahead of a live character.
LIVE_GROUND_RUNS_M_S = 2.2  # m/s: a gait that usually goes faster is a run, and none for stairs. live
LIVE_GROUND_AHEAD_S = 1.3  # seconds of its way that a run looks ahead for steps: it must be a walk by then. live
LIVE_GROUND_NEAR_M, LIVE_GROUND_BEHIND_M = 0.6, 0.5  # metres it looks ahead and back anyway. live
LIVE_GROUND_SPACING_M = 0.12  # metres between heights that are looked at. live
