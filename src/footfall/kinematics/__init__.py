"""Forward kinematics, two-bone IK, heading and floor root."""
