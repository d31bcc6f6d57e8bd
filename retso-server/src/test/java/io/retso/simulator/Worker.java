package io.retso.simulator;

import io.retso.client.CommitRequest;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;

/** Runs one transaction after the other: begin, read, write, commit or abort, clean up. */
final class Worker {
  private final World world;
  private final Simulation simulation;
  private final SimulatedClient client;

  /** The current transaction; 0 between two. */
  private long start;

  /** An old timestamp at which it reads, of this transaction or one before; may be nobody's. */
  private long snapshot;

  private final Set<Long> written = new LinkedHashSet<>();

  /** What the current transaction has read; null in worlds without serializable ones. */
  private Footprint footprint;

  private int steps;
  private int refusals;

  Worker(World world, SimulatedClient client) {
    this.world = world;
    this.simulation = world.simulation();
    this.client = client;
  }

  SimulatedClient client() {
    return client;
  }

  boolean isIdle() {
    return start == 0;
  }

  /** Hands what is unfinished to the janitor. */
  void abandon() {
    if (start != 0) {
      world.orphan(start, written);
      start = 0;
    }
  }

  void run() {
    if (!client.isAlive() || world.isDraining()) {
      return;
    }
    if (world.sizes().isSerializable() && simulation.oneIn(6)) {
      new SafeReader(world, client, this::run).run();
    } else {
      client.begin(this::begun);
    }
  }

  private void begun(long answer) {
    start = answer;
    if (snapshot == 0 || simulation.oneIn(4)) {
      snapshot = start;
    }
    written.clear();
    steps = simulation.below(Sizes.TRANSACTION_ROWS + 1);
    refusals = 0;
    if (world.sizes().isSerializable()) {
      footprint = new Footprint(!simulation.oneIn(4), simulation.oneIn(4));
    }
    pause();
  }

  private void pause() {
    // Now and then long enough to fall out of the window.
    long typical = simulation.oneIn(30) ? 100 * World.TABLE_DELAY : World.TABLE_DELAY;
    later(typical, this::step);
  }

  private void later(long typicalDelay, Runnable action) {
    long transaction = start;
    simulation.after(
        simulation.delay(typicalDelay),
        () -> {
          if (client.isAlive() && start == transaction) {
            action.run();
          }
        });
  }

  private void step() {
    if (steps-- == 0) {
      if (simulation.oneIn(12)) {
        client.call(FrameType.ABORT, start, 0, null, this::decided);
      } else {
        commit();
      }
    } else if (footprint != null) {
      traceableStep();
    } else if (simulation.oneIn(4)) {
      client.timestamp(this::pinned);
    } else if (simulation.oneIn(2)) {
      readAt(simulation.oneIn(2) ? snapshot : start);
    } else {
      write();
    }
  }

  private void write() {
    if (written.size() < Sizes.TRANSACTION_ROWS) {
      long row = world.anyRow();
      written.add(row);
      world.table().write(row, start);
    }
    pause();
  }

  /** A step of a transaction that may be serializable: it reads at its start. */
  private void traceableStep() {
    boolean scans = world.sizes().isolation() == Sizes.Isolation.SERIALIZABLE_SCANS;
    long row = world.anyRow();
    switch (simulation.below(8)) {
      case 0 -> client.timestamp(this::pinned); // which is not certified
      case 1 -> {
        if (footprint.readOnly || simulation.oneIn(2)) {
          read(row, () -> footprint.validated(row));
        } else {
          world.counted("locks");
          read(row, () -> footprint.locked(row));
        }
      }
      case 2, 3 -> {
        if (scans && footprint.serializable) {
          scan(row / Footprint.GRANULE_ROWS, 0);
        } else {
          read(row, () -> footprint.read(row));
        }
      }
      case 4 -> read(row, () -> footprint.read(row));
      default -> {
        if (footprint.readOnly) {
          read(row, () -> footprint.read(row));
        } else {
          write();
        }
      }
    }
  }

  private void read(long row, Runnable seen) {
    new RowReader(
            world,
            client,
            row,
            start,
            version -> {
              seen.run();
              pause();
            })
        .run();
  }

  private void scan(long granule, int from) {
    long row = granule * Footprint.GRANULE_ROWS + from;
    if (from == Footprint.GRANULE_ROWS || row >= world.sizes().rowRange()) {
      footprint.scanned(granule);
      pause();
    } else {
      new RowReader(world, client, row, start, version -> scan(granule, from + 1)).run();
    }
  }

  /** A reader got a timestamp that is no transaction. */
  private void pinned(long answer) {
    world.counted("timestamps");
    snapshot = answer;
    readAt(snapshot);
  }

  private void readAt(long timestamp) {
    new RowReader(world, client, world.anyRow(), timestamp, seen -> pause()).run();
  }

  private void commit() {
    CommitRequest request;
    if (footprint == null) {
      long[] rows = written.stream().mapToLong(Long::longValue).toArray();
      request = CommitRequest.of(SimulatedClient.handle(start)).withWrites(rows);
    } else {
      boolean granules = world.sizes().isolation() == Sizes.Isolation.SERIALIZABLE_SCANS;
      request = footprint.request(start, written, granules);
      world.history().order().asks(start, footprint);
    }
    client.call(FrameType.COMMIT, start, 0, request, this::decided);
  }

  private void decided(long answer) {
    long outcome = answer;
    world.counted(name(outcome));
    if (world.isDraining() && Outcome.isCommitted(outcome)) {
      world.counted("committed when the faults were over");
    }
    if (outcome == Outcome.REFUSED_UNCLEANED) {
      if (++refusals > 3) {
        client.call(FrameType.ABORT, start, 0, null, this::decided);
      } else {
        later(20 * World.TABLE_DELAY, this::commit);
      }
    } else if (outcome == Outcome.UNKNOWN || outcome == SimulatedClient.NOT_SENT) {
      abandon();
      run();
    } else {
      cleanUp(outcome, new ArrayDeque<>(written));
    }
  }

  private static String name(long outcome) {
    if (outcome == SimulatedClient.NOT_SENT) {
      return "not sent";
    }
    return outcome > 0 ? "committed" : Outcome.nameOf(outcome);
  }

  private void cleanUp(long outcome, ArrayDeque<Long> rows) {
    later(
        simulation.oneIn(30) ? 100 * World.TABLE_DELAY : World.TABLE_DELAY,
        () -> {
          if (rows.isEmpty()) {
            client.call(FrameType.CLEANED, start, 0, null, this::cleaned);
          } else {
            world.finishRow(rows.poll(), start, outcome);
            cleanUp(outcome, rows);
          }
        });
  }

  private void cleaned(long answer) {
    start = 0;
    run();
  }
}
