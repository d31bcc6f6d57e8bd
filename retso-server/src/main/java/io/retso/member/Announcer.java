package io.retso.member;

import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.protocol.Limits;
import io.retso.protocol.ServerRole;
import io.retso.sequencer.Recovery;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Says what a member is: to clients its role, to other members its entry of the roster, to those
 * that ask its view. Of the member's thread but for {@link #view}.
 */
final class Announcer {
  /** What a role is made of. */
  private record Facts(
      boolean leads, long epoch, String leader, List<Roster.Entry> members, String own) {
    ServerRole role() {
      return new ServerRole(
          leads,
          epoch,
          "",
          ServerRole.isAddress(leader) ? leader : "",
          Stream.concat(Stream.of(own), members.stream().map(Roster.Entry::address))
              .distinct()
              .limit(Limits.MEMBERS_MAX)
              .toList());
    }
  }

  private final Member.Settings settings;
  private final Follower follower;
  private final Recovery recovery;
  private final Roster roster;
  private final Front front;

  /**
   * To whom this member is about to hand over, or has handed over last; empty if it was deposed.
   */
  private String successor = "";

  private final ProvedMembers proved = new ProvedMembers();
  private Facts facts;
  private ServerRole role = ServerRole.UNKNOWN;
  private volatile Member.View view;

  Announcer(
      Member.Settings settings, Follower follower, Recovery recovery, Roster roster, Front front) {
    this.settings = settings;
    this.follower = follower;
    this.recovery = recovery;
    this.roster = roster;
    this.front = front;
  }

  /** Names the next leader until there is another one; none if it is empty. */
  void names(String nextLeader) {
    successor = nextLeader;
  }

  /** What it is at the moment; from any thread. */
  Member.View view() {
    return view;
  }

  /** What clients were told last. */
  ServerRole role() {
    return role;
  }

  /** What clients are to be told now, which the caller does. */
  ServerRole role(boolean leads, long time) {
    String leader = follower.leader();
    Facts now =
        new Facts(
            leads,
            follower.epoch(),
            follower.isOwn(leader) && !(leads && successor.isEmpty()) ? successor : leader,
            members(leads, time),
            settings.address());
    if (!now.equals(facts)) { // this is asked at each tick
      facts = now;
      role = now.role();
    }
    return role;
  }

  /** Those that clients are told of. */
  private List<Roster.Entry> members(boolean leads, long now) {
    Optional<Set<String>> standbys = front.provedStandbys();
    if (standbys.isEmpty()) {
      return roster.members();
    }
    Predicate<String> proves =
        leads
            ? address -> standbys.get().contains(LeaderWatch.clientName(address))
            : follower::isNamedByItsLeader;
    return proved.among(roster.members(), proves, now);
  }

  /**
   * Says to all connections what has changed, unless it is that this member leads, or leads no
   * more.
   *
   * @param isPrepared a standby has done what it does before it is ready, or there is no leader
   * @param trouble why the log could not be taken over; null if that is over
   */
  void look(
      Member.State state, boolean isPrepared, long takeOvers, LogException trouble, long now) {
    boolean leads = state == Member.State.LEADING;
    boolean isReady = leads || isPrepared && follower.isReady(now);
    long behind = leads ? 0 : follower.entriesBehind();
    view =
        new Member.View(
            state,
            follower.epoch(),
            follower.leader(),
            leads || isReady && state == Member.State.STANDBY && follower.hears(),
            isReady,
            behind,
            takeOvers,
            recovery.transactions(),
            roster.members(),
            trouble == null ? follower.trouble() : trouble);
    if (state != Member.State.ENDED) {
      roster.publish(
          new Roster.Entry(
              settings.address(),
              settings.httpAddress(),
              isReady,
              LogEntry.newestVersion(),
              behind));
      ServerRole before = role;
      if (!role(leads, now).equals(before)) {
        front.update(role);
      }
    }
  }
}
