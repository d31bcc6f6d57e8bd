package io.retso.simulator;

import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import java.util.ArrayDeque;

/**
 * Goes over all pending marks now and then, finishes what is decided, and reports the sweep; asks
 * for the low watermark in between.
 */
final class Sweeper {
  private final World world;
  private final Simulation simulation;
  private final SimulatedClient client;

  Sweeper(World world) {
    this.world = world;
    this.simulation = world.simulation();
    this.client = new SimulatedClient(world);
  }

  void run() {
    simulation.after(
        simulation.delay(20 * World.TABLE_DELAY),
        () -> {
          if (simulation.oneIn(3)) {
            client.begin(answer -> visit(0, answer));
          } else {
            ask();
          }
        });
  }

  private void ask() {
    long known = world.history().watermark();
    client.call(
        FrameType.WATERMARK,
        known,
        0,
        null,
        answer -> {
          world.history().watermark(known, answer);
          world.counted("watermarks");
          run();
        });
  }

  private void visit(long row, long sweep) {
    if (row == world.sizes().rowRange()) {
      report(sweep);
      return;
    }
    ArrayDeque<Long> writers = new ArrayDeque<>();
    for (VersionedTable.Version version : world.table().read(row, Long.MAX_VALUE)) {
      if (version.pending()) {
        writers.add(version.timestamp());
      }
    }
    if (writers.isEmpty()) {
      visit(row + 1, sweep);
    } else {
      cleanUp(row, writers, sweep);
    }
  }

  private void cleanUp(long row, ArrayDeque<Long> writers, long sweep) {
    Long writer = writers.poll();
    if (writer == null) {
      simulation.after(simulation.delay(World.TABLE_DELAY), () -> visit(row + 1, sweep));
      return;
    }
    client.call(
        FrameType.STATUS,
        writer,
        sweep,
        null,
        answer -> {
          if (answer != Outcome.OPEN) {
            world.finishRow(row, writer, answer); // RETRY: a mark still there was aborted
          }
          cleanUp(row, writers, sweep);
        });
  }

  private void report(long sweep) {
    client.call(
        FrameType.SWEPT,
        sweep,
        0,
        null,
        answer -> {
          world.counted("sweeps");
          // It wrote nothing: over, so that it does not hold the watermark back.
          client.call(FrameType.CLEANED, sweep, 0, null, ended -> run());
        });
  }
}
