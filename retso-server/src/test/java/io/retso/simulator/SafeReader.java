package io.retso.simulator;

import io.retso.protocol.FrameType;
import java.util.Set;
import java.util.TreeSet;

/** A serializable reader that is not judged: it reads some rows on a safe snapshot. */
final class SafeReader {
  private static final int ROWS_MAX = 6;

  private final World world;
  private final SimulatedClient client;
  private final Runnable done;
  private final Set<Long> seen = new TreeSet<>();
  private long snapshot;
  private int steps;

  SafeReader(World world, SimulatedClient client, Runnable done) {
    this.world = world;
    this.client = client;
    this.done = done;
    steps = 1 + world.simulation().below(ROWS_MAX);
  }

  void run() {
    client.call(
        FrameType.SAFE,
        0,
        0,
        null,
        answer -> {
          snapshot = answer;
          step();
        });
  }

  private void step() {
    if (steps-- == 0) {
      world.counted("safe readers");
      world.history().order().safeReader(snapshot, seen);
      done.run();
      return;
    }
    long row = world.anyRow();
    Runnable read = () -> new RowReader(world, client, row, snapshot, version -> next(row)).run();
    world.simulation().after(world.simulation().delay(World.TABLE_DELAY), read);
  }

  private void next(long row) {
    seen.add(row);
    step();
  }
}
