package io.retso.chaos.run;

import io.retso.chaos.load.Successes;
import java.util.List;
import java.util.Map;

/**
 * What a run under faults came to.
 *
 * @param version of the build
 * @param startedAt when it began
 * @param flags as given
 * @param machine what it ran on
 * @param seed of all random numbers
 * @param nodes what the cluster consists of
 * @param load transactions a second whose answers were timed
 * @param rounds what was judged
 * @param trials faults that happened
 * @param refused faults that could not be made
 * @param leaders which servers began to lead, and when
 * @param begins answers to begins
 * @param commits answers to commits
 */
public record ChaosReport(
    String version,
    String startedAt,
    List<String> flags,
    Map<String, Object> machine,
    long seed,
    String nodes,
    double load,
    List<Round> rounds,
    List<Trial> trials,
    List<String> refused,
    List<Led> leaders,
    Successes.Steps begins,
    Successes.Steps commits) {

  /**
   * A server that began to lead.
   *
   * @param from seconds since the begin of the run
   */
  public record Led(String oracle, long epoch, double from) {}

  /**
   * A history that was judged.
   *
   * @param committed transactions on lists
   * @param unknown transactions on lists of unknown outcome
   * @param transfers acknowledged ones of the bank
   * @param audits how often the bank's accounts were added up
   * @param lost acknowledged commits that are missing in the end
   * @param anomalies what the checker of histories found, lost ones included
   * @param violations what was wrong without it
   * @param verdict of the checker, for people
   */
  public record Round(
      int committed,
      int unknown,
      long transfers,
      long audits,
      long lost,
      int anomalies,
      List<String> violations,
      String verdict) {
    /** Whether nothing was seen to be wrong. */
    public boolean isGood() {
      return lost == 0 && anomalies == 0 && violations.isEmpty();
    }
  }

  /** Whether nothing was seen to be wrong. */
  public boolean isGood() {
    return rounds.stream().allMatch(Round::isGood);
  }

  /** Whether there was something to judge, and something that happened to it. */
  public boolean isTested() {
    return !rounds.isEmpty()
        && rounds.stream().allMatch(round -> round.committed > 0 && round.transfers > 0)
        && !trials.isEmpty();
  }
}
