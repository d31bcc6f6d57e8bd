/**
 * A member of a group of servers that share one log: when it is a standby, when it suspects the
 * leader, takes over, leads, hands over, and becomes a standby again.
 *
 * <pre>
 *                        Member   what it is, and what it becomes
 *           standby     /      \     leader
 *               Follower        Term       a sequencer and its log, made anew for each term
 *     reads the log, and        HandOver   how it goes, once it has named its successor
 *      judges its leader
 *         FollowedLeader        what is known of that one, made anew for each epoch
 *                Silence        for how long it has given no sign of life
 *              Suspicion        when this member may try to take over
 * </pre>
 *
 * <p>The world around it are three interfaces beside the log's store: {@link
 * io.retso.member.Roster}, in which members find each other, {@link io.retso.member.LeaderWatch},
 * the connection to the leader's port, and {@link io.retso.member.Front}, where clients are served.
 * {@link io.retso.member.Announcer} tells clients and the roster what this member is.
 *
 * <p>A take-over has these steps: the leader is suspected; it is this member's turn; its epoch
 * begins in the catalog; a leader that named it is let end; the ledgers are fenced, and the rest is
 * read; a term begins. The reasons are in docs/decisions/0023-many-servers.md.
 *
 * <p>What makes this safe is the log's part ({@link io.retso.log}); everything here may be wrong
 * about others and costs a pause then, never an answer. It has no threads, clocks or sockets of its
 * own, so that a simulator runs it.
 */
package io.retso.member;
