package io.retso.simulator;

import io.retso.protocol.FrameType;
import java.util.function.LongConsumer;

/**
 * Reads some rows at an old snapshot and at the same time asks for its extension. If the rows are
 * unchanged, what was seen is judged as if it had been read at the extension's timestamp.
 */
final class ExtendedRead {
  private final World world;
  private final SimulatedClient client;
  private final long snapshot;
  private final LongConsumer done;
  private final long[] rows;
  private final long[] seen;
  private int missing;
  private long answer;

  /** Hands the timestamp of the extension to {@code done}; 0 if the snapshot was not extended. */
  ExtendedRead(World world, SimulatedClient client, long snapshot, LongConsumer done) {
    this.world = world;
    this.client = client;
    this.snapshot = snapshot;
    this.done = done;
    rows = new long[world.simulation().below(Sizes.TRANSACTION_ROWS)];
    seen = new long[rows.length];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = world.anyRow();
    }
  }

  void run() {
    missing = rows.length + 1;
    client.call(FrameType.EXTEND, snapshot, 0, rows.clone(), this::answered);
    for (int i = 0; i < rows.length; i++) {
      int index = i;
      new RowReader(world, client, rows[i], snapshot, version -> read(index, version)).run();
    }
  }

  private void answered(long told) {
    answer = told;
    arrived();
  }

  private void read(int index, long version) {
    seen[index] = version;
    arrived();
  }

  private void arrived() {
    if (--missing > 0) {
      return;
    }
    boolean unchanged = answer > 0 && (answer & FrameType.CHANGED_FLAG) == 0;
    world.counted(unchanged ? "extended" : "not extended");
    for (int i = 0; unchanged && i < rows.length; i++) {
      world.history().read(rows[i], answer, seen[i]);
    }
    done.accept(unchanged ? answer : 0);
  }
}
