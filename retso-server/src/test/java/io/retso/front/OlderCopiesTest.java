package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.client.connection.SimulatedLoop;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A client gives up a connection that the server does not read from for now, and asks again on
 * another one: so the server has two copies of a commit, and carries out the older one last.
 */
class OlderCopiesTest {
  private final DeskFixture fixture = new DeskFixture();
  private final Loop loop = new Loop();
  private final List<Link> links = new ArrayList<>();

  private record Task(long at, long number, Runnable work) {}

  /** The client's thread, in a time of its own. */
  private final class Loop extends SimulatedLoop {
    private final PriorityQueue<Task> tasks =
        new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::number));
    private long now;
    private long numbers;

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void execute(Runnable task) {
      schedule(task, 0);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      tasks.add(new Task(now + delayNanos, numbers++, task));
    }

    @Override
    protected void connect(End end) {
      Link link = new Link(end);
      links.add(link);
      end.opened(link);
    }

    void pass(long millis) {
      long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
      while (!tasks.isEmpty() && tasks.peek().at <= end) {
        Task task = tasks.poll();
        now = task.at;
        task.work.run();
        links.forEach(Link::serve);
      }
      now = end;
    }
  }

  /** A connection of the client with the desk. */
  private final class Link implements SimulatedLoop.Wire {
    private final SimulatedLoop.End client;
    private final DeskFixture.Peer server = fixture.new Peer("host");
    private final ByteBuf arrived = Unpooled.buffer();
    private boolean isUnread;
    private boolean isLost;

    Link(SimulatedLoop.End client) {
      this.client = client;
    }

    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void send(ByteBuf bytes) {
      arrived.writeBytes(bytes);
      bytes.release();
    }

    @Override
    public void hangUp() {
      isLost = true;
    }

    /** The client loses it, of which the server does not hear. */
    void lose() {
      isLost = true;
      client.closed();
    }

    void serve() {
      if (!isUnread) {
        server.receive(arrived);
        settle();
      }
      while (!server.replies.isEmpty()) {
        ByteBuf reply = server.replies.remove(0);
        if (!isLost) {
          client.read(reply);
        }
      }
    }
  }

  private void settle() {
    for (int i = 0; i < 20; i++) {
      fixture.endTurn();
      fixture.acknowledge();
      fixture.nextTurn();
    }
  }

  /** Fills more of the table than the host may have, and returns the first of them. */
  private long fillTheTable(DeskFixture.Peer peer) throws FrameException {
    long first = 0;
    for (int i = 0; i <= DeskFixture.UNCLEANED / 2; i++) {
      long start = peer.start();
      first = first == 0 ? start : first;
      peer.commit(false, 1_000 + i, start);
      settle();
      peer.replies.clear();
    }
    return first;
  }

  @Test
  void whatARefusedRepetitionIsAboutMayBeCommittedByAnOlderCopy() throws Exception {
    try (fixture) {
      fixture.new Peer("other").hello();
      DeskFixture.Peer another = fixture.new Peer("host").hello();
      long first = fillTheTable(another);
      OracleClient client = loop.client(List.of("server:1"), 1, 10_000_000_000L, 1_000_000_000, 1);
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      loop.pass(100);
      TransactionHandle handle = begin.get(0, TimeUnit.SECONDS);
      long start = handle.startTimestamp();
      links.get(0).isUnread = true;
      CompletableFuture<CommitResult> commit = client.commitAsync(handle, 7);
      loop.pass(100);
      links.get(0).lose();
      loop.pass(500); // the client connects anew, and repeats its request
      assertEquals(2, links.size());
      assertTrue(fixture.sequencer.oracle().counters().refused > 0);
      assertFalse(commit.isDone(), "nobody knows");
      another.sendOwned(FrameType.CLEANED, first);
      settle();
      links.get(0).isUnread = false;
      links.get(0).serve();
      long committed = fixture.sequencer.oracle().status(start, start);
      assertTrue(committed > 0, "by the older copy");
      loop.pass(1_000);
      assertTrue(commit.isDone() && !commit.isCompletedExceptionally(), commit::toString);
      assertEquals(committed, commit.get().commitTimestamp());
    }
  }
}
