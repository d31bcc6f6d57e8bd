package io.retso.simulator;

import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Reads one row in the snapshot of a start timestamp (paper, section 2.2): for each pending mark
 * below it asks for the writer's status. After RETRY it reads the row again; a mark that is still
 * there then belongs to an aborted transaction.
 */
final class RowReader {
  private final World world;
  private final SimulatedClient client;
  private final long row;
  private final long start;
  private final LongConsumer done;
  private final Map<Long, Long> outcomes = new HashMap<>();
  private final Set<Long> concluded = new HashSet<>();
  private List<VersionedTable.Version> versions;

  RowReader(World world, SimulatedClient client, long row, long start, LongConsumer done) {
    this.world = world;
    this.client = client;
    this.row = row;
    this.start = start;
    this.done = done;
  }

  void run() {
    versions = world.table().read(row, start);
    resolve();
  }

  private void resolve() {
    for (VersionedTable.Version version : versions) {
      long writer = version.timestamp();
      if (version.pending() && !outcomes.containsKey(writer)) {
        client.call(FrameType.STATUS, writer, start, null, answer -> resolved(writer, answer));
        return;
      }
    }
    finish();
  }

  private void resolved(long writer, long answer) {
    long outcome = answer;
    if (outcome != Outcome.RETRY) {
      outcomes.put(writer, outcome);
      resolve();
      return;
    }
    world.counted("retries");
    Simulation simulation = world.simulation();
    simulation.after(
        simulation.delay(World.TABLE_DELAY),
        () -> {
          versions = world.table().read(row, start);
          if (world.table().isPending(row, writer)) {
            concluded.add(writer);
            outcomes.put(writer, Outcome.ABORTED);
          }
          resolve();
        });
  }

  private void finish() {
    long seen = 0;
    for (VersionedTable.Version version : versions) {
      long outcome = version.pending() ? outcomes.get(version.timestamp()) : version.timestamp();
      if (outcome > 0 && outcome < start) {
        seen = Math.max(seen, outcome);
      }
    }
    world.history().read(row, start, seen);
    tidy();
    world.operation();
    done.accept(seen);
  }

  /** A reader may finish what it knows for certain. */
  private void tidy() {
    for (VersionedTable.Version version : versions) {
      if (version.pending() && world.simulation().oneIn(3)) {
        long writer = version.timestamp();
        long outcome = outcomes.get(writer);
        if (outcome > 0) {
          world.table().moveToCommit(row, writer, outcome);
        } else if (Outcome.isAborted(outcome) || concluded.contains(writer)) {
          world.table().takeBack(row, writer);
        }
      }
    }
  }
}
