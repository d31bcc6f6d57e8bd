package io.retso.bench.stores;

import io.retso.cluster.ChildProcess;
import io.retso.machine.ResidentMemory;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * Resident memory, megabytes, without what processes share.
 *
 * @param client of this process, in which clients and, of the oracle alone, rows are
 * @param oracle of the oracle's process; 0 if there is none, or it runs elsewhere
 * @param store of the processes that keep the rows; 0 if there are none, or they run elsewhere
 */
public record Memory(double client, double oracle, double store) {
  static Memory of(long oraclePid, List<ChildProcess> rows) {
    return new Memory(
        megabytes(LongStream.of(ProcessHandle.current().pid())),
        megabytes(LongStream.of(oraclePid)),
        megabytes(rows.stream().flatMapToLong(Memory::pids)));
  }

  private static LongStream pids(ChildProcess process) {
    return LongStream.concat(
        LongStream.of(process.pid()), process.descendants().mapToLong(ProcessHandle::pid));
  }

  /** Some have ended, and have no memory. */
  private static double megabytes(LongStream pids) {
    DoubleStream each = pids.filter(pid -> pid > 0).mapToDouble(ResidentMemory::ownMegabytes);
    return each.filter(megabytes -> !Double.isNaN(megabytes)).sum();
  }
}
