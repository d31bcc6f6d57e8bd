package io.retso.simulator;

import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;

/** Finishes the transactions of dead clients, and of those that could not learn their outcome. */
final class Janitor {
  private final World world;
  private final Simulation simulation;
  private final SimulatedClient client;
  private boolean busy;

  Janitor(World world) {
    this.world = world;
    this.simulation = world.simulation();
    this.client = new SimulatedClient(world);
  }

  SimulatedClient client() {
    return client;
  }

  boolean isIdle() {
    return !busy;
  }

  void run() {
    simulation.after(
        simulation.delay(world.isDraining() ? World.TABLE_DELAY : 4 * World.TABLE_DELAY),
        () -> {
          World.Orphan orphan = world.anyOrphan();
          if (orphan == null) {
            run();
          } else {
            busy = true;
            client.begin(answer -> ask(orphan, answer));
          }
        });
  }

  private void ask(World.Orphan orphan, long reader) {
    client.call(
        FrameType.STATUS,
        orphan.start(),
        reader,
        null,
        answer -> {
          if (answer == Outcome.OPEN) {
            abort(orphan, reader);
          } else {
            // RETRY: what is still pending now was aborted.
            finish(orphan, answer);
          }
        });
  }

  private void abort(World.Orphan orphan, long reader) {
    client.call(
        FrameType.ABORT,
        orphan.start(),
        0,
        null,
        answer -> {
          if (answer == Outcome.UNKNOWN) {
            ask(orphan, reader);
          } else {
            finish(orphan, answer);
          }
        });
  }

  private void finish(World.Orphan orphan, long outcome) {
    simulation.after(
        simulation.delay(World.TABLE_DELAY),
        () -> {
          orphan.rows().forEach(row -> world.finishRow(row, orphan.start(), outcome));
          client.call(
              FrameType.CLEANED,
              orphan.start(),
              0,
              null,
              answer -> {
                busy = false;
                run();
              });
        });
  }
}
