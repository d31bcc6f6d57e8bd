package io.retso.workload;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** What became of the programs of a load, by their names. For one thread. */
public final class LoadCounts {
  static final Ending COMMITTED = new Ending(true, null);
  static final Ending ROLLED_BACK = new Ending(false, null);

  private static final double NANOS = 1e9;

  private static final int DIGITS = 2;

  private final Map<String, OfProgram> programs = new TreeMap<>();
  private final Histogram latency = new Histogram(DIGITS);
  private long clientNanos;
  private int clients;

  /** How a program ended; refused if there is a reason. */
  record Ending(boolean committed, Reason refused) {}

  /** Counts of one program. */
  private static final class OfProgram {
    final Map<Reason, Long> refused = new EnumMap<>(Reason.class);
    long committed;
    long rolledBack;
    long nanos;

    long attempts() {
      return committed + rolledBack + refusals();
    }

    long refusals() {
      return refused.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  void count(String program, Ending ending, long nanos) {
    OfProgram of = programs.computeIfAbsent(program, name -> new OfProgram());
    of.nanos += nanos;
    if (ending.refused() != null) {
      of.refused.merge(ending.refused(), 1L, Long::sum);
    } else if (ending.committed()) {
      of.committed++;
      latency.recordValue(nanos);
    } else {
      of.rolledBack++;
    }
  }

  /** A client has worked for so long. */
  void ran(long nanos) {
    clientNanos += nanos;
    clients++;
  }

  void add(LoadCounts other) {
    other.programs.forEach(
        (name, theirs) -> {
          OfProgram ours = programs.computeIfAbsent(name, key -> new OfProgram());
          ours.committed += theirs.committed;
          ours.rolledBack += theirs.rolledBack;
          ours.nanos += theirs.nanos;
          theirs.refused.forEach((reason, count) -> ours.refused.merge(reason, count, Long::sum));
        });
    latency.add(other.latency);
    clientNanos += other.clientNanos;
    clients += other.clients;
  }

  private long sum(ToLongFunction<OfProgram> of) {
    return programs.values().stream().mapToLong(of).sum();
  }

  /** Committed programs. */
  public long committed() {
    return sum(of -> of.committed);
  }

  /** All of them, however they ended. */
  public long attempts() {
    return sum(OfProgram::attempts);
  }

  /** Those that their own rules rolled back. */
  public long rolledBack() {
    return sum(of -> of.rolledBack);
  }

  /** Programs committed per second. */
  public double perSecond() {
    return clientNanos == 0 ? 0 : committed() * NANOS * clients / clientNanos;
  }

  /** Mean time of a program, refused ones included. */
  public double millis() {
    return attempts() == 0 ? 0 : sum(of -> of.nanos) / 1e6 / attempts();
  }

  /** Times of committed programs, nanoseconds, to two digits. */
  public Histogram latency() {
    return latency;
  }

  /** Attempts of each program. */
  public Map<String, Long> attemptsByProgram() {
    Map<String, Long> all = new TreeMap<>();
    programs.forEach((name, of) -> all.put(name, of.attempts()));
    return all;
  }

  /** Refusals of each program, by reason; programs without any are there, too. */
  public Map<String, Map<Reason, Long>> refused() {
    Map<String, Map<Reason, Long>> all = new TreeMap<>();
    programs.forEach((name, of) -> all.put(name, copy(of.refused)));
    return all;
  }

  private static Map<Reason, Long> copy(Map<Reason, Long> refused) {
    Map<Reason, Long> all = new EnumMap<>(Reason.class); // its copies of empty maps know no type
    all.putAll(refused);
    return all;
  }

  /** Share of the attempts that were refused, of 1. */
  public double refusedShare() {
    return attempts() == 0 ? 0 : (double) sum(OfProgram::refusals) / attempts();
  }
}
