package io.retso.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What a process of this machine, and each of its threads, had of the processors at one moment.
 *
 * <p>Threads are known on Linux only: {@code /proc/PID/task/TID/schedstat} has nanoseconds on a
 * processor and nanoseconds of waiting for one. Elsewhere there are none.
 */
public final class ProcessTimes {
  /** A thread whose name begins so decides transactions. */
  private static final String ORACLE = "oracle";

  private record ThreadTimes(String name, long cpuNanos, long waitNanos) {}

  private final long nanos = System.nanoTime();
  private final long cpuNanos;
  private final Map<String, ThreadTimes> threads = new HashMap<>();

  private ProcessTimes(long pid) {
    cpuNanos =
        ProcessHandle.of(pid)
            .flatMap(process -> process.info().totalCpuDuration())
            .orElse(Duration.ZERO)
            .toNanos();
    Path tasks = Path.of("/proc", Long.toString(pid), "task");
    if (Files.isDirectory(tasks)) {
      try (Stream<Path> list = Files.list(tasks)) {
        list.forEach(this::read);
      } catch (IOException | UncheckedIOException e) {
        threads.clear(); // the process has ended
      }
    }
  }

  /** Reads the times of a process; all zero if it has ended. */
  public static ProcessTimes of(long pid) {
    return new ProcessTimes(pid);
  }

  private void read(Path task) {
    try {
      String[] times = Files.readString(task.resolve("schedstat")).trim().split(" ");
      String name = Files.readString(task.resolve("comm")).trim();
      threads.put(
          task.getFileName().toString(),
          new ThreadTimes(name, Long.parseLong(times[0]), Long.parseLong(times[1])));
    } catch (IOException e) {
      return; // the thread has ended, or the kernel does not report it
    }
  }

  /** CPU time of the process since an earlier moment, threads that ended meanwhile included. */
  public long cpuNanos(ProcessTimes before) {
    return cpuNanos - before.cpuNanos;
  }

  /** CPU time of the JVM's compilers since an earlier moment; 0 if it is not known. */
  public long compilerNanos(ProcessTimes before) {
    return Math.max(0, nanos(before, ProcessTimes::isCompiler, false));
  }

  /** Cores that the process used since an earlier moment, threads that ended meanwhile included. */
  public double cores(ProcessTimes before) {
    return (double) (cpuNanos - before.cpuNanos) / (nanos - before.nanos);
  }

  /** Cores that the oracle's thread used since an earlier moment; negative if it is not known. */
  public double oracleCores(ProcessTimes before) {
    return cores(before, name -> name.startsWith(ORACLE), false);
  }

  /**
   * The share of the time since an earlier moment in which the oracle's thread could have gone on
   * and got no processor; negative if it is not known.
   */
  public double oracleWaits(ProcessTimes before) {
    return cores(before, name -> name.startsWith(ORACLE), true);
  }

  /** Cores that the JVM's compilers used since an earlier moment; negative if it is not known. */
  public double compilerCores(ProcessTimes before) {
    return cores(before, ProcessTimes::isCompiler, false);
  }

  private static boolean isCompiler(String thread) {
    return thread.startsWith("C1 Comp") || thread.startsWith("C2 Comp");
  }

  private double cores(ProcessTimes before, Predicate<String> names, boolean waiting) {
    long total = nanos(before, names, waiting);
    return total < 0 ? -1 : (double) total / (nanos - before.nanos);
  }

  /** Time of the threads with these names together; negative if there are none. */
  private long nanos(ProcessTimes before, Predicate<String> names, boolean waiting) {
    long total = 0;
    boolean known = false;
    for (Map.Entry<String, ThreadTimes> entry : threads.entrySet()) {
      ThreadTimes now = entry.getValue();
      if (names.test(now.name())) {
        known = true;
        ThreadTimes then =
            before.threads.getOrDefault(entry.getKey(), new ThreadTimes(now.name(), 0, 0));
        total += waiting ? now.waitNanos() - then.waitNanos() : now.cpuNanos() - then.cpuNanos();
      }
    }
    return known ? total : -1;
  }
}
