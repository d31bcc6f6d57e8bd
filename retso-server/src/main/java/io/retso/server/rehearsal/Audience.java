package io.retso.server.rehearsal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.retso.front.Conversation;
import io.retso.front.FrontDesk;
import io.retso.front.Transport;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.security.Peer;

/**
 * A client of a rehearsal, without a socket. It has one transaction under way at a time, and does
 * with it what clients do. Of the actor's thread.
 */
final class Audience implements Transport {
  private static final int ROWS = 2;

  /** Conversations of one host share its work; a rehearsal has time. */
  private static final Object HOST = "rehearsal";

  private final ByteBuf unread = Unpooled.buffer();
  private final ByteBuf replies = Unpooled.buffer();
  private final Conversation conversation;
  private final Runnable answers;
  private int frames;

  /** The transaction that was begun last; 0 before the first. */
  private long start;

  private long ticket;

  /** The answer that is waited for is there. */
  private boolean answered;

  /**
   * Connects, and says HELLO.
   *
   * @param answers runs when {@link #isAnswered} has become true
   */
  Audience(FrontDesk desk, Runnable answers) {
    this.answers = answers;
    conversation = desk.open(this, HOST);
    Handshake.writeHello(
        unread,
        frames++,
        new Handshake.Hello(
            Handshake.VERSION_MIN, Handshake.VERSION_MAX, Handshake.Mode.ORACLE, "rehearsal"));
    take();
  }

  /** Whether what it asked for is answered. */
  boolean isAnswered() {
    return answered;
  }

  /** Begins a transaction. */
  void begin() {
    Frames.writeHeader(unread, FrameType.BEGIN, 1, frames++, 0);
    ask();
  }

  /** Commits what was begun: under snapshot isolation, or serializable if the number is odd. */
  void commit(int number) {
    int header = unread.writerIndex();
    if (number % 2 == 0) {
      Frames.writeHeader(unread, FrameType.COMMIT, 0, frames++, 0);
      unread.writeLong(start).writeLong(ticket).writeInt(ROWS);
    } else {
      Frames.writeHeader(unread, FrameType.COMMIT_READS, 0, frames++, 0);
      unread.writeLong(start).writeLong(ticket).writeInt(ROWS | FrameType.SERIALIZABLE_FLAG);
      unread.writeInt(0).writeInt(ROWS).writeInt(0).writeInt(0);
      writeRows(~start);
    }
    writeRows(start);
    Frames.finishFrame(unread, header, 1);
    ask();
  }

  private void writeRows(long first) {
    for (int i = 0; i < ROWS; i++) {
      unread.writeLong(first + i);
    }
  }

  /** Asks how the transaction ended, and says that it was cleaned up. */
  void cleanUp() {
    Frames.writeHeader(unread, FrameType.STATUS, 1, frames++, 2 * Long.BYTES);
    unread.writeLong(start).writeLong(start);
    Frames.writeHeader(unread, FrameType.CLEANED, 1, frames++, Frames.TICKET_BYTES);
    unread.writeLong(start).writeLong(ticket);
    ask();
  }

  private void ask() {
    answered = false;
    take();
  }

  private void take() {
    try {
      Conversation.Progress progress;
      do {
        progress = conversation.take(unread);
      } while (progress == Conversation.Progress.TAKEN);
      unread.discardReadBytes();
    } catch (FrameException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Peer peer() {
    return Peer.inClear(null, true);
  }

  @Override
  public ByteBufAllocator allocator() {
    return ByteBufAllocator.DEFAULT;
  }

  @Override
  public void write(ByteBuf bytes) {
    replies.writeBytes(bytes);
    bytes.release();
  }

  @Override
  public void flush() {
    try {
      int bytes;
      while (replies.isReadable()
          && (bytes = Frames.frameBytes(replies, replies.readerIndex())) > 0) {
        hear(replies.readSlice(bytes));
      }
      replies.discardReadBytes();
    } catch (FrameException e) {
      throw new IllegalStateException(e);
    }
  }

  private void hear(ByteBuf reply) {
    if (Frames.isRole(reply, 0) || Frames.isError(reply, 0)) {
      return;
    }
    if (Frames.replyType(reply, 0) == FrameType.BEGIN) {
      start = reply.getLong(Frames.HEADER_BYTES);
      ticket = reply.getLong(Frames.HEADER_BYTES + Long.BYTES);
    }
    if (Frames.frameId(reply, 0) == frames - 1) {
      answered = true;
      answers.run();
    }
  }

  @Override
  public void resume() {
    take();
  }

  void close() {
    conversation.close();
    unread.release();
    replies.release();
  }
}
