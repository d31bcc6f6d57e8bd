package io.retso.simulator;

import io.retso.protocol.FrameType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** A client process: one connection at a time, requests of one type share frames. */
final class SimulatedClient {
  private final World world;
  private final Simulation simulation;
  private final Set<Request> outstanding = new LinkedHashSet<>();
  private List<Request> unsent = new ArrayList<>();
  private final long patience;
  private Link link;
  private boolean alive = true;
  private boolean sendScheduled;
  private long lastReply;

  SimulatedClient(World world) {
    this.world = world;
    this.simulation = world.simulation();
    this.patience = (5 + simulation.below(50)) * Simulation.MILLIS;
  }

  boolean isAlive() {
    return alive;
  }

  Link link() {
    return link;
  }

  void call(FrameType type, long start, long reader, long[] rows, Consumer<Answer> reply) {
    Request request = new Request(type, start, reader, rows, reply);
    outstanding.add(request);
    unsent.add(request);
    scheduleSend();
  }

  void begin(Consumer<Answer> reply) {
    call(
        FrameType.BEGIN,
        world.history().newestKnown(),
        0,
        null,
        answer -> {
          world.history().begun(answer.outcome());
          reply.accept(answer);
        });
  }

  void timestamp(Consumer<Answer> reply) {
    call(
        FrameType.TIMESTAMP,
        world.history().newestKnown(),
        0,
        null,
        answer -> {
          world.history().timestamp(answer.outcome());
          reply.accept(answer);
        });
  }

  private void scheduleSend() {
    if (!sendScheduled && alive) {
      sendScheduled = true;
      simulation.after(simulation.delay(World.HAND_OVER), this::send);
    }
  }

  private void send() {
    sendScheduled = false;
    if (!alive || unsent.isEmpty()) {
      return;
    }
    if (link == null) {
      SimulatedServer server = world.anyServer();
      if (server == null) {
        sendScheduled = true;
        simulation.after(simulation.delay(10 * World.NETWORK_DELAY), this::send);
        return;
      }
      link = new Link(simulation, this, server);
      lastReply = simulation.now();
      watch(link);
    }
    List<Request> frame = new ArrayList<>();
    for (Request request : unsent) {
      boolean full = frame.size() == Sizes.FRAME_REQUESTS;
      if (full || !frame.isEmpty() && frame.get(0).type != request.type) {
        link.send(frame);
        frame = new ArrayList<>();
      }
      frame.add(request);
    }
    link.send(frame);
    unsent = new ArrayList<>();
  }

  /** A server that does not answer is given up. */
  private void watch(Link watched) {
    simulation.after(
        patience,
        () -> {
          if (link == watched && alive) {
            if (!outstanding.isEmpty() && simulation.now() - lastReply >= patience) {
              world.counted("time-outs");
              watched.cut();
            }
            watch(watched);
          }
        });
  }

  void replied(Request request, Answer answer) {
    lastReply = simulation.now();
    if (alive && outstanding.remove(request)) {
      world.operation();
      request.reply.accept(answer);
    }
  }

  /** What has no reply is asked again; the first copy may still be on its way. */
  void disconnected(Link lost) {
    if (!alive || link != lost) {
      return;
    }
    link = null;
    List<Request> again = new ArrayList<>();
    for (Request request : outstanding) {
      Request copy =
          new Request(request.type, request.start, request.reader, request.rows, request.reply);
      copy.repeat = request.repeat || !unsent.contains(request);
      again.add(copy);
      world.counted("repeats");
    }
    outstanding.clear();
    outstanding.addAll(again);
    unsent = again;
    scheduleSend();
  }

  void die() {
    alive = false;
    if (link != null) {
      link.abandon();
    }
  }
}
