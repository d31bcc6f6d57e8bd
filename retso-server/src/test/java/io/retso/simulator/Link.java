package io.retso.simulator;

import java.util.ArrayDeque;
import java.util.List;

/**
 * A connection between a client and a server: in order within each direction, independent of all
 * other connections; cut at any moment, with what is on its way lost or not.
 */
final class Link {
  /** Replies that wait for a position of the log. */
  private record Held(long position, Runnable leave) {}

  final SimulatedClient client;
  final SimulatedServer server;
  private final Simulation simulation;
  private long lastAtServer;
  private long lastAtClient;
  private boolean clientEnd = true;
  private boolean serverEnd = true;

  // The server's end, as its network front keeps it.
  private final ArrayDeque<List<Request>> untaken = new ArrayDeque<>();
  private final ArrayDeque<Held> starts = new ArrayDeque<>();
  private final ArrayDeque<Held> decisions = new ArrayDeque<>();

  Link(Simulation simulation, SimulatedClient client, SimulatedServer server) {
    this.simulation = simulation;
    this.client = client;
    this.server = server;
  }

  /** The client sends requests of one kind. */
  void send(List<Request> frame) {
    lastAtServer = Math.max(lastAtServer, simulation.now() + simulation.delay(World.NETWORK_DELAY));
    simulation.at(
        lastAtServer,
        () ->
            server.whenAwake(
                () -> {
                  if (serverEnd) {
                    untaken.add(frame);
                    takeFrames();
                  }
                }));
  }

  /** The server takes all frames that it has room for. */
  void takeFrames() {
    while (!untaken.isEmpty() && serverEnd) {
      if (!server.take(this, untaken.peek())) {
        server.waitForLog(this);
        return;
      }
      untaken.poll();
    }
  }

  /** Lets replies go once a position is durable; each lane keeps its order. */
  void hold(boolean isStart, long position, Runnable leave) {
    ArrayDeque<Held> lane = isStart ? starts : decisions;
    lane.add(new Held(position, leave));
    release(lane);
  }

  void release() {
    release(starts);
    release(decisions);
  }

  private void release(ArrayDeque<Held> lane) {
    while (!lane.isEmpty() && lane.peek().position <= server.durable()) {
      lane.poll().leave.run();
    }
  }

  /** The server's reply leaves. */
  void reply(List<Request> frame, List<Answer> answers) {
    lastAtClient = Math.max(lastAtClient, simulation.now() + simulation.delay(World.NETWORK_DELAY));
    simulation.at(
        lastAtClient,
        () -> {
          for (int i = 0; i < frame.size() && clientEnd; i++) {
            client.replied(frame.get(i), answers.get(i));
          }
        });
  }

  /** The connection breaks; each end notices in its own time, or at once. */
  void cut() {
    simulation.after(
        simulation.oneIn(2) ? 0 : simulation.delay(World.NETWORK_DELAY),
        () -> {
          if (clientEnd) {
            clientEnd = false;
            client.disconnected(this);
          }
        });
    simulation.after(
        simulation.oneIn(2) ? 0 : simulation.delay(4 * World.NETWORK_DELAY),
        () -> {
          serverEnd = false;
          untaken.clear();
          server.forget(this);
        });
  }

  /** The client is gone. */
  void abandon() {
    clientEnd = false;
    cut();
  }
}
