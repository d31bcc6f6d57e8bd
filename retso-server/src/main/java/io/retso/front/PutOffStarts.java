package io.retso.front;

import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import java.util.ArrayDeque;
import java.util.function.IntConsumer;

/**
 * Frames of one conversation that ask for timestamps, and wait until other hosts need the window no
 * longer. Those behind them go on: they may be the commits that end the wait. All that take
 * timestamps keep their order, which is that of their lane.
 *
 * <p>Of the sequencer's thread.
 */
final class PutOffStarts {
  /** The next one keeps what is behind it waiting, too. */
  static final int MAX = 64;

  /** Such a frame, which says nothing else. */
  private record Start(FrameType type, int count, int frameId) {}

  private final FrontDesk desk;
  private final Conversation conversation;
  private final ArrayDeque<Start> starts = new ArrayDeque<>();

  PutOffStarts(FrontDesk desk, Conversation conversation) {
    this.desk = desk;
    this.conversation = conversation;
  }

  /** Whether a frame takes timestamps that its host is to leave to others for now. */
  boolean mustWait(FrameType type, int count) {
    return switch (type) {
      case BEGIN, TIMESTAMP -> !starts.isEmpty() || mustLeaveToOthers(type, count);
      case SAFE -> !starts.isEmpty(); // it takes none of its own, and its lane keeps its order
      case HELLO,
          COMMIT,
          COMMIT_READS,
          STATUS,
          ABORT,
          CLEANED,
          PING,
          WATERMARK,
          SWEPT,
          AUTH,
          KEYS,
          VOUCH,
          HOLD,
          RENEW,
          RELEASE,
          HOLDS ->
          false;
    };
  }

  private boolean mustLeaveToOthers(FrameType type, int count) {
    int timestamps = type == FrameType.BEGIN ? count : 1;
    return type != FrameType.SAFE && desk.mustWait(conversation.share(), timestamps);
  }

  /** Returns whether there is room for one that must wait. */
  boolean add(FrameType type, int count, int frameId) {
    if (starts.isEmpty()) {
      desk.waitForOthers(conversation);
    }
    return starts.size() < MAX && starts.add(new Start(type, count, frameId));
  }

  /** Starts as many as need not wait any more, as far as this turn goes. */
  void tryAgain() {
    while (!starts.isEmpty() && !desk.isClosing()) {
      Start start = starts.peek();
      if (!desk.turns().mayGoOn(conversation.share())
          || mustLeaveToOthers(start.type, start.count)
          || !desk.sequencer().canTake(Frames.HEADER_BYTES)) {
        desk.waitForOthers(conversation);
        return;
      }
      starts.remove();
      conversation.start(start.type, start.count, start.frameId);
    }
  }

  /** Takes all out, by the ids of their frames. */
  void takeAll(IntConsumer sink) {
    starts.forEach(start -> sink.accept(start.frameId));
    starts.clear();
  }
}
