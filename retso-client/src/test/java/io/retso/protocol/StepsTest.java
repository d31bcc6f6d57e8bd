package io.retso.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class StepsTest {
  private static ByteBuf frame(FrameType type, boolean isReply, long... words) {
    ByteBuf out = Unpooled.buffer();
    int bytes = words.length * Long.BYTES;
    Frames.writeHeader(out, isReply ? type.reply() : type.request(), 1, 7, bytes);
    for (long word : words) {
      out.writeLong(word);
    }
    return out;
  }

  private static void check(ByteBuf frame, boolean isReply) throws FrameException {
    if (isReply) {
      Frames.checkReply(frame, 0, frame.readableBytes());
    } else {
      Frames.checkRequest(frame, 0, frame.readableBytes());
    }
  }

  private static void assertMalformed(ByteBuf frame, boolean isReply) {
    FrameException e = assertThrows(FrameException.class, () -> check(frame, isReply));
    assertEquals(ErrorCode.MALFORMED_FRAME, e.code());
  }

  @Test
  void bytesStayAsTheyAre() throws FrameException {
    ByteBuf request = Unpooled.buffer();
    Frames.writeHeader(request, FrameType.COMMIT, 1, 7, Frames.COMMIT_FIXED_BYTES);
    request.writeLong(16).writeLong(1).writeInt(0);
    check(request, false);
    assertFalse(Steps.areIn(request, 0));
    Steps.ask(request, 0);
    check(request, false);
    assertTrue(Steps.areIn(request, 0));
    assertEquals("0000001c" + "03" + "01" + "0001" + "00000007", start(request));
    ByteBuf reply = frame(FrameType.COMMIT, true, 32, 5);
    Steps.add(reply, 0);
    Steps.set(reply, 0, 0, 1);
    Steps.set(reply, 0, 1, 0x1234);
    Steps.set(reply, 0, 2, 3);
    check(reply, true);
    assertEquals("00000030" + "83" + "01" + "0001" + "00000007", start(reply));
    assertEquals(
        "000000000000000100000000000012340000000000000003",
        ByteBufUtil.hexDump(reply, Frames.HEADER_BYTES + 16, Steps.BYTES));
    assertEquals(0x1234, Steps.get(reply, 0, 1));
    assertEquals(0, Frames.refusals(reply, 0), "nothing is explained");
  }

  private static String start(ByteBuf frame) {
    return ByteBufUtil.hexDump(frame, 0, Frames.HEADER_BYTES);
  }

  @Test
  void explanationsStandBeforeThem() throws FrameException {
    ByteBuf reply = frame(FrameType.COMMIT_READS, true, Outcome.ABORTED_CONFLICT, 0, 3, 48);
    Steps.add(reply, 0);
    check(reply, true);
    assertEquals(Frames.HEADER_BYTES + 16, Frames.refusals(reply, 0));
  }

  @Test
  void onlyCommitsHaveThem() {
    for (FrameType type : FrameType.values()) {
      if (type.isCommit()) {
        continue;
      }
      for (boolean isReply : new boolean[] {false, true}) {
        ByteBuf frame = frame(type, isReply, new long[16]);
        Steps.ask(frame, 0);
        assertMalformed(frame, isReply);
      }
    }
  }

  @Test
  void noOtherFlagIsKnown() {
    for (int flag = 2; flag < 256; flag *= 2) {
      ByteBuf reply = frame(FrameType.COMMIT, true, 32, 5);
      reply.setByte(Frames.FLAGS_OFFSET, flag);
      assertMalformed(reply, true);
    }
  }

  @Test
  void whatMakesNoSenseIsRefused() throws FrameException {
    for (int number = 0; number < Steps.NUMBERS; number++) {
      ByteBuf reply = frame(FrameType.COMMIT, true, 32, 5);
      Steps.add(reply, 0);
      Steps.set(reply, 0, number, Limits.STEP_MICROS_MAX);
      check(reply, true);
      for (long wrong : new long[] {-1, Limits.STEP_MICROS_MAX + 1, Long.MIN_VALUE}) {
        Steps.set(reply, 0, number, wrong);
        assertMalformed(reply, true);
      }
    }
    for (int words = 0; words < 5; words++) { // too few, with the flag
      ByteBuf reply = frame(FrameType.COMMIT, true, new long[words]);
      Steps.ask(reply, 0);
      assertMalformed(reply, true);
    }
    assertMalformed(frame(FrameType.COMMIT, true, new long[5]), true); // without it
  }

  @Test
  void timesAreCut() {
    assertEquals(1, Steps.micros(1_999));
    assertEquals(0, Steps.micros(-5_000));
    assertEquals(Limits.STEP_MICROS_MAX, Steps.micros(Long.MAX_VALUE));
  }
}
