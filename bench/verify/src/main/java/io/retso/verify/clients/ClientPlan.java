package io.retso.verify.clients;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;

/**
 * What a client of the workload needs to know; it travels as the arguments of a process.
 *
 * @param number of the client, unique in a round; part of its process numbers and values, and
 *     decides when it sends its writes
 * @param threads that run transactions on lists, 1 to {@link #THREADS_MAX}
 * @param seed of its random numbers
 * @param access to the cluster
 * @param tables the tables, {@link io.retso.verify.lists.ListKey#TABLES}
 * @param generations where the groups begin
 * @param listMax length from which a list is full
 * @param isolation of its transactions
 * @param origin the {@link System#nanoTime} from which times count
 * @param history where to record
 */
public record ClientPlan(
    int number,
    int threads,
    long seed,
    ClusterAccess access,
    List<TableName> tables,
    int[] generations,
    int listMax,
    RunIsolation isolation,
    long origin,
    Path history) {

  static final int THREADS_MAX = 64;

  /** Reached by each write, by some writes of a transaction, and by none. */
  private static final long[] FLUSH_BYTES = {1, 400, 2 << 20};

  /** Process number of a thread, unique in a round. */
  public long process(int thread) {
    return (long) number * THREADS_MAX + thread;
  }

  /**
   * What its transactions keep back before they send it: of three clients one sends each write at
   * once, one sends some before the commit, and one keeps all. What was kept back answers reads of
   * the transaction's own writes, what was sent is read again.
   */
  long flushBytes() {
    return FLUSH_BYTES[number % FLUSH_BYTES.length];
  }

  /** Where it reports violations. */
  public Path violations() {
    return history.resolveSibling(history.getFileName() + ".violations");
  }

  /** Where it reports in the end how much it did with tokens. */
  public Path work() {
    return history.resolveSibling(history.getFileName() + ".work");
  }

  List<String> toArguments() {
    List<String> at = access.toArguments();
    return List.of(
        Integer.toString(number),
        Integer.toString(threads),
        Long.toString(seed),
        at.get(0),
        at.get(1),
        at.get(2),
        tables.stream().map(TableName::getNameAsString).collect(Collectors.joining(",")),
        Arrays.stream(generations).mapToObj(Integer::toString).collect(Collectors.joining(",")),
        Integer.toString(listMax),
        isolation.name(),
        Long.toString(origin),
        history.toString());
  }

  static ClientPlan ofArguments(String... arguments) {
    return new ClientPlan(
        Integer.parseInt(arguments[0]),
        Integer.parseInt(arguments[1]),
        Long.parseLong(arguments[2]),
        ClusterAccess.ofArguments(arguments[3], arguments[4], arguments[5]),
        Arrays.stream(arguments[6].split(",")).map(TableName::valueOf).toList(),
        Arrays.stream(arguments[7].split(",")).mapToInt(Integer::parseInt).toArray(),
        Integer.parseInt(arguments[8]),
        RunIsolation.valueOf(arguments[9]),
        Long.parseLong(arguments[10]),
        Path.of(arguments[11]));
  }
}
