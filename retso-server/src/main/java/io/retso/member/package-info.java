/**
 * A member of a group of servers that share one log: when it is a standby, when it suspects the
 * leader, takes over, leads, hands over, and becomes a standby again.
 *
 * <p>What makes this safe is the log's part ({@link io.retso.log}); everything here may be wrong
 * about others and costs a pause then, never an answer. It has no threads, clocks or sockets of its
 * own, so that a simulator runs it.
 */
package io.retso.member;
