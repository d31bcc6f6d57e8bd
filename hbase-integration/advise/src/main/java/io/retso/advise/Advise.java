package io.retso.advise;

import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Repair;
import io.retso.advise.model.Verdict;
import io.retso.advise.repair.RepairSearch;
import io.retso.advise.search.DangerSearch;
import io.retso.advise.search.SubsetSearch;
import java.util.List;
import java.util.Set;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Asks whether snapshot isolation is enough for some programs. In a test of the application:
 *
 * <pre>
 *   &#64;Test
 *   void snapshotIsolationIsEnough() {
 *     Advise.programs(writeCheck, balance, transactSaving).assertSerializable();
 *   }
 * </pre>
 *
 * <p>Immutable, thread-safe. Answers are exact within the model of {@link Program}.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class Advise {
  /** Repairs that {@link #assertSerializable} names. */
  private static final int NAMED = 3;

  private final Programs programs;

  private Advise(Programs programs) {
    this.programs = programs;
  }

  /** About programs on tables with conflicts by row. */
  public static Advise programs(Program... programs) {
    return of(Programs.of(List.of(programs)));
  }

  /** About any. */
  public static Advise of(Programs programs) {
    return new Advise(programs);
  }

  /** The programs in question. */
  public Programs programs() {
    return programs;
  }

  /** Whether each outcome of the programs is that of a serial order. */
  public Verdict verdict() {
    return new Verdict(programs, new DangerSearch(programs).all());
  }

  /**
   * Sets of programs that are safe together, and with one more are not.
   *
   * @throws IllegalStateException if there are too many sets to look at
   */
  public List<Set<String>> maximalSafe() {
    return SubsetSearch.maximalSafe(programs);
  }

  /**
   * All smallest sets of programs that are to be serializable for all to be safe; one empty set if
   * they are safe as they are under snapshot isolation.
   *
   * @throws IllegalStateException if there are too many sets to look at
   */
  public List<Set<String>> fewestSerializable() {
    return SubsetSearch.fewestSerializable(programs);
  }

  /**
   * Changes that make the programs safe, the cheapest first. Of each the search says that it does,
   * and that it does not with a step less.
   *
   * <p>Costs compare changes of one set of programs, and are no times. A step costs, for each
   * transaction of a program that it changes, weighed by its rate: 1 to validate a read, 2 to run
   * serializable, 3 to lock, 4 to write what was read, 5 to write a row of its own for it; 10 more
   * if the program only read before, as its commits are logged then; and 4 times the part of all
   * transactions that it then has conflicts with.
   *
   * @param most so many, above 0
   */
  public List<Repair> repairs(int most) {
    return new RepairSearch(programs).cheapest(most);
  }

  /**
   * Fails if the programs are not safe.
   *
   * @throws AssertionError with the dangers, and the cheapest repairs
   */
  public void assertSerializable() {
    Verdict verdict = verdict();
    if (!verdict.isSerializable()) {
      StringBuilder text = new StringBuilder(verdict.toString());
      List<Repair> repairs = repairs(NAMED);
      text.append(repairs.isEmpty() ? "" : "\nRepairs, the cheapest first:\n");
      repairs.forEach(repair -> text.append("  ").append(repair).append('\n'));
      throw new AssertionError(text.toString());
    }
  }
}
