/**
 * Security that is switched on in a running cluster of oracles, and off again, step by step as
 * docs/security.md says, while applications commit without a pause.
 */
package io.retso.chaos.rollout;
