package io.retso.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/**
 * What was measured of cases that take turns, so that a change of the machine's mood meets all of
 * them: a round measures each case once. Figures of one round are compared with each other, and
 * ratios are summed up over the rounds. For one thread.
 *
 * @param <C> the cases, told apart by {@code equals}
 * @param <R> what one measurement gives
 */
public final class Rounds<C, R> {
  private final List<Run<C, R>> runs = new ArrayList<>();

  /**
   * A measurement.
   *
   * @param round from 0
   */
  public record Run<C, R>(C of, int round, R result) {}

  /** Measures a case once. */
  @FunctionalInterface
  public interface Measurement<C, R> {
    /** Measures; round -1 is a warm-up, which does not count. */
    R measure(C what, int round) throws IOException, InterruptedException;
  }

  /** Measurements that know what they are of, and their round. */
  public static <C, R> Rounds<C, R> of(
      Collection<R> results, Function<R, C> of, ToIntFunction<R> round) {
    Rounds<C, R> rounds = new Rounds<>();
    results.forEach(result -> rounds.add(of.apply(result), round.applyAsInt(result), result));
    return rounds;
  }

  /** Adds a measurement. */
  public void add(C of, int round, R result) {
    runs.add(new Run<>(of, round, result));
  }

  /**
   * Measures some cases in turns, and adds what they give to what is there. A round of a case that
   * is there already is left out; one that does not count never is.
   *
   * @param compared those that are compared with each other together: they follow each other
   * @param first number of the first round; -1 for one that does not count
   * @param end number behind the last one
   * @param line shows the case, and how long the rest takes
   */
  public void take(
      List<List<C>> compared, int first, int end, ProgressLine line, Measurement<C, R> measurement)
      throws IOException, InterruptedException {
    long all = 0;
    for (int round = first; round < end; round++) {
      int of = round;
      all += compared.stream().flatMap(List::stream).filter(c -> !isThere(c, of)).count();
    }
    ProgressLine.Steps steps = line.steps(all);
    for (int round = first; round < end; round++) {
      for (C of : order(compared, round)) {
        if (isThere(of, round)) {
          continue;
        }
        steps.begin(of + (round < 0 ? ", warm-up" : ", round " + (round + 1) + " of " + end));
        R result = measurement.measure(of, round);
        if (round >= 0) {
          add(of, round, result);
        }
      }
    }
  }

  private boolean isThere(C of, int round) {
    return runs.stream().anyMatch(run -> run.round == round && run.of.equals(of));
  }

  /** None of those that are compared is always first. */
  private static <C> List<C> order(List<List<C>> compared, int round) {
    List<C> all = new ArrayList<>();
    for (List<C> cases : compared) {
      List<C> order = new ArrayList<>(cases);
      Collections.rotate(order, round);
      all.addAll(order);
    }
    return all;
  }

  /** All measurements, in their order. */
  public List<Run<C, R>> runs() {
    return Collections.unmodifiableList(runs);
  }

  /** All cases, in the order of their first measurement. */
  public List<C> cases() {
    LinkedHashSet<C> all = new LinkedHashSet<>();
    runs.forEach(run -> all.add(run.of));
    return new ArrayList<>(all);
  }

  /** Only those of some cases. */
  public Rounds<C, R> of(Predicate<C> which) {
    Rounds<C, R> some = new Rounds<>();
    runs.stream().filter(run -> which.test(run.of)).forEach(some.runs::add);
    return some;
  }

  /** What a case gave, by rounds. */
  public List<R> results(C of) {
    return runs.stream().filter(run -> run.of.equals(of)).map(Run::result).toList();
  }

  /** The mean of a figure over all rounds. */
  public Mean mean(C of, ToDoubleFunction<R> figure) {
    return Mean.of(results(of).stream().mapToDouble(figure).toArray());
  }

  /** The sum of a figure over all rounds. */
  public double sum(C of, ToDoubleFunction<R> figure) {
    return results(of).stream().mapToDouble(figure).sum();
  }

  /** The round of which a figure is the median; of an even number the upper one. */
  public R median(C of, ToDoubleFunction<R> figure) {
    List<R> sorted = new ArrayList<>(results(of));
    sorted.sort(Comparator.comparingDouble(figure));
    return sorted.get(sorted.size() / 2);
  }

  /** For each case, in their order, the round of which a figure is the median. */
  public List<R> medians(ToDoubleFunction<R> figure) {
    return cases().stream().map(of -> median(of, figure)).toList();
  }

  /**
   * The median of the ratios of a figure to that of another case in the same round; of no
   * measurements if they have no round in common. Rounds in which the base has 0 do not count.
   */
  public Mean ratio(C of, C base, ToDoubleFunction<R> figure) {
    List<Double> ratios = new ArrayList<>();
    for (Run<C, R> run : runs) {
      if (run.of.equals(of)) {
        runs.stream()
            .filter(other -> other.of.equals(base) && other.round == run.round)
            .mapToDouble(other -> figure.applyAsDouble(other.result))
            .filter(other -> other > 0)
            .findFirst()
            .ifPresent(other -> ratios.add(figure.applyAsDouble(run.result) / other));
      }
    }
    return Mean.ofRatios(ratios.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
