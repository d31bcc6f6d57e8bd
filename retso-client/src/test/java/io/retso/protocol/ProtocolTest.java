package io.retso.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ProtocolTest {
  private static final long TICKET = 0x1122334455667788L;

  /** The bytes themselves, so that a change of the format cannot go unnoticed. */
  @Test
  void layoutIsThatOfTheDescription() {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, FrameType.COMMIT, 1, 0x01020304, 28);
    out.writeLong(0x10).writeLong(TICKET);
    out.writeInt(1 | FrameType.REPEAT_FLAG).writeLong(-2);
    assertEquals(
        "00000024"
            + "03"
            + "00"
            + "0001"
            + "01020304" // header
            + "0000000000000010"
            + "1122334455667788"
            + "80000001"
            + "fffffffffffffffe",
        ByteBufUtil.hexDump(out));

    ByteBuf hello = Unpooled.buffer();
    Handshake.writeHello(hello, 0, new Handshake.Hello(1, 2, Handshake.Mode.ECHO, "me"));
    assertEquals(
        "00000014"
            + "01"
            + "00"
            + "0000"
            + "00000000" // header
            + "5254534f"
            + "0001"
            + "0002"
            + "01"
            + "02"
            + "6d65",
        ByteBufUtil.hexDump(hello));
  }

  @Test
  void requestTypesKeepTheirNumbersAndNames() throws FrameException {
    String[] names = {
      "HELLO",
      "BEGIN",
      "COMMIT",
      "STATUS",
      "ABORT",
      "CLEANED",
      "PING",
      "WATERMARK",
      "SWEPT",
      "TIMESTAMP",
      "COMMIT_READS",
      "SAFE",
      "AUTH",
      "KEYS",
      "VOUCH",
      "HOLD",
      "RENEW",
      "RELEASE",
      "HOLDS"
    };
    assertEquals(FrameType.values().length, names.length);
    for (int number = 1; number <= names.length; number++) {
      FrameType type = FrameType.ofRequest(number);
      assertEquals(names[number - 1], type.name());
      assertEquals(number, type.request());
      assertSame(type, FrameType.ofReply(type.reply()));
      assertNull(FrameType.ofReply(number), "a request is no reply");
      assertNull(FrameType.ofRequest(type.reply()), "a reply is no request");
    }
    for (int none : new int[] {0, names.length + 1, 0x7f, FrameType.REPLY, FrameType.ERROR}) {
      assertNull(FrameType.ofRequest(none));
      assertNull(FrameType.ofReply(none));
    }
    assertEquals("type 20", FrameType.nameOf(names.length + 1));
    assertEquals("ERROR", FrameType.nameOf(FrameType.ERROR));
  }

  @Test
  void watermarkTimestampAndSweptAreThoseOfTheDescription() throws FrameException {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, FrameType.WATERMARK, 3, 7, 0);
    assertEquals("00000008" + "08" + "00" + "0003" + "00000007", ByteBufUtil.hexDump(out));
    Frames.checkRequest(out, 0, out.readableBytes());
    out.clear();
    Frames.writeReplyHeader(out, FrameType.WATERMARK, 3, 7);
    out.writeLong(32);
    Frames.checkReply(out, 0, out.readableBytes());
    out.clear();
    Frames.writeHeader(out, FrameType.TIMESTAMP, 2, 7, 0);
    assertEquals("00000008" + "0a" + "00" + "0002" + "00000007", ByteBufUtil.hexDump(out));
    Frames.checkRequest(out, 0, out.readableBytes());
    out.clear();
    Frames.writeReplyHeader(out, FrameType.TIMESTAMP, 2, 7);
    out.writeLong(64);
    Frames.checkReply(out, 0, out.readableBytes());
    out.clear();
    Frames.writeHeader(out, FrameType.SWEPT, 2, 7, 2 * Frames.TICKET_BYTES);
    out.writeLong(16).writeLong(TICKET).writeLong(32).writeLong(-TICKET);
    Frames.checkRequest(out, 0, out.readableBytes());
    out.setShort(6, 3);
    assertMalformed(() -> Frames.checkRequest(out, 0, out.readableBytes()));
  }

  @Test
  void beginsAreAnsweredTheFirstStartAndATicketForEach() throws FrameException {
    ByteBuf out = Unpooled.buffer();
    Frames.writeReplyHeader(out, FrameType.BEGIN, 2, 7);
    out.writeLong(0x20).writeLong(TICKET).writeLong(-1);
    assertEquals(
        "00000020"
            + "82"
            + "00"
            + "0002"
            + "00000007" // header
            + "0000000000000020"
            + "1122334455667788"
            + "ffffffffffffffff",
        ByteBufUtil.hexDump(out));
    Frames.checkReply(out, 0, out.readableBytes());
    for (int count : new int[] {0, 1, 3, 4}) {
      out.setShort(6, count);
      assertMalformed(() -> Frames.checkReply(out, 0, out.readableBytes()));
    }
    ByteBuf none = Unpooled.buffer();
    Frames.writeHeader(none, FrameType.BEGIN.reply(), 0, 7, Long.BYTES);
    none.writeLong(0x20);
    assertMalformed(() -> Frames.checkReply(none, 0, none.readableBytes()));
  }

  @Test
  void requestsOfAnOwnerBeginWithAStartAndItsTicket() throws FrameException {
    for (FrameType type : FrameType.values()) {
      ByteBuf out = Unpooled.buffer();
      switch (type) {
        case ABORT, CLEANED, SWEPT -> {
          Frames.writeHeader(out, type, 1, 7, 16);
          out.writeLong(0x10).writeLong(TICKET);
          Frames.checkRequest(out, 0, out.readableBytes());
          assertEquals(16, Frames.ownedBytes(type, out, Frames.HEADER_BYTES));
          out.setInt(0, 8 + 8);
          assertMalformed(() -> Frames.checkRequest(out, 0, Frames.HEADER_BYTES + 8));
        }
        case COMMIT -> {
          Frames.writeHeader(out, type, 1, 7, 20 + 2 * 8);
          out.writeLong(0x10).writeLong(TICKET).writeInt(2 | FrameType.REPEAT_FLAG).writeZero(16);
          Frames.checkRequest(out, 0, out.readableBytes());
          assertEquals(36, Frames.ownedBytes(type, out, Frames.HEADER_BYTES));
        }
        case COMMIT_READS -> {
          Frames.writeHeader(out, type, 1, 7, 36 + 11 * 8);
          out.writeLong(0x10).writeLong(TICKET).writeInt(1 | FrameType.SERIALIZABLE_FLAG);
          out.writeInt(1).writeInt(2).writeInt(3).writeInt(4).writeZero(11 * 8);
          Frames.checkRequest(out, 0, out.readableBytes());
          assertEquals(124, Frames.ownedBytes(type, out, Frames.HEADER_BYTES));
        }
        default ->
            assertThrows(
                IllegalArgumentException.class, () -> Frames.ownedBytes(type, out, 0), type::name);
      }
    }
  }

  @Test
  void readsAndSafeSnapshotsAreThoseOfTheDescription() throws FrameException {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, FrameType.COMMIT_READS, 1, 7, 36 + 6 * Long.BYTES);
    out.writeLong(0x10).writeLong(TICKET);
    out.writeInt(2 | FrameType.REPEAT_FLAG | FrameType.SERIALIZABLE_FLAG);
    out.writeInt(1).writeInt(0).writeInt(1).writeInt(2);
    for (long id = 1; id <= 6; id++) {
      out.writeLong(id);
    }
    String header = "0000005c" + "0b" + "00" + "0001" + "00000007";
    String owner = "0000000000000010" + "1122334455667788";
    String sizes = "c0000002" + "00000001" + "00000000" + "00000001" + "00000002";
    String bytes = ByteBufUtil.hexDump(out);
    assertEquals(header + owner + sizes, bytes.substring(0, 96));
    Frames.checkRequest(out, 0, out.readableBytes());
    assertEquals(6, Frames.idsOfReads(out, Frames.HEADER_BYTES));
    out.clear();
    Frames.writeReplyHeader(out, FrameType.COMMIT_READS, 2, 7);
    out.writeLong(32).writeLong(Outcome.ABORTED_PIVOT).writeLong(TICKET).writeLong(0);
    assertEquals(
        "00000028"
            + "8b"
            + "00"
            + "0002"
            + "00000007"
            + "0000000000000020"
            + "fffffffffffffff5"
            + "1122334455667788"
            + "0000000000000000",
        ByteBufUtil.hexDump(out));
    Frames.checkReply(out, 0, out.readableBytes());
    out.clear();
    Frames.writeHeader(out, FrameType.SAFE, 2, 7, 0);
    assertEquals("00000008" + "0c" + "00" + "0002" + "00000007", ByteBufUtil.hexDump(out));
    Frames.checkRequest(out, 0, out.readableBytes());
    out.clear();
    Frames.writeReplyHeader(out, FrameType.SAFE, 2, 7);
    out.writeLong(64);
    Frames.checkReply(out, 0, out.readableBytes());
  }

  @Test
  void whatRestsOnCommitsWaitsForTheLog() {
    assertTrue(FrameType.COMMIT_READS.isLogged(), "an answer that rests on commits");
    assertFalse(FrameType.SAFE.isLogged(), "it travels with timestamps");
  }

  @Test
  void numbersOfOutcomesNeverChange() {
    assertEquals(-11, Outcome.ABORTED_PIVOT);
    assertEquals(-12, Outcome.ABORTED_READ_ONLY);
    assertEquals(-13, Outcome.ABORTED_UNKNOWN_SUCCESSOR);
    assertEquals(-14, Outcome.NOT_OWNER);
    for (long outcome = -15; outcome <= 16; outcome++) {
      boolean isAborted = outcome <= -1 && outcome >= -3 || outcome <= -11 && outcome >= -13;
      assertEquals(isAborted, Outcome.isAborted(outcome), Outcome.nameOf(outcome));
      boolean isNew = outcome <= -11 && outcome >= -13;
      assertEquals(isNew, Outcome.isNotSerializable(outcome), Outcome.nameOf(outcome));
      boolean isRefused = outcome == -8 || outcome == -10;
      assertEquals(isRefused, Outcome.isRefused(outcome), Outcome.nameOf(outcome));
      boolean isExplained = outcome == -1 || outcome == -2 || isNew;
      assertEquals(isExplained, Outcome.isExplained(outcome), Outcome.nameOf(outcome));
    }
  }

  @Test
  void headersOfRepliesSayHowMuchFollows() throws FrameException {
    for (FrameType type : FrameType.values()) {
      ByteBuf out = Unpooled.buffer();
      Frames.writeReplyHeader(out, type, 3, 7);
      out.writeZero(type.answersTo(3) * Long.BYTES);
      assertEquals(out.readableBytes(), Frames.frameBytes(out, 0), type::name);
      assertEquals(7, Frames.frameId(out, 0));
      assertFalse(Frames.isPing(out, 0) || Frames.isError(out, 0), type::name);
      Frames.writeHeader(out.clear(), type, 1, 7, 0);
      assertEquals(type == FrameType.PING, Frames.isPing(out, 0));
    }
  }

  private static void assertMalformed(Executable check) {
    FrameException e = assertThrows(FrameException.class, check);
    assertEquals(ErrorCode.MALFORMED_FRAME, e.code());
  }

  @Test
  void unknownFlagsAreRefused() throws FrameException {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, FrameType.COMMIT, 1, 7, Frames.COMMIT_FIXED_BYTES);
    out.writeLong(16).writeLong(-1).writeInt(FrameType.REPEAT_FLAG);
    Frames.checkRequest(out, 0, out.readableBytes());
    for (int bit = 24; bit < 31; bit++) {
      out.setInt(Frames.HEADER_BYTES + 16, 1 << bit);
      assertMalformed(() -> Frames.checkRequest(out, 0, out.readableBytes()));
    }
    out.setInt(Frames.HEADER_BYTES + 16, 0).setByte(5, 2);
    assertMalformed(() -> Frames.checkRequest(out, 0, out.readableBytes()));
    ByteBuf reply = Unpooled.buffer();
    Frames.writeReplyHeader(reply, FrameType.PING, 0, 7);
    Frames.checkReply(reply, 0, reply.readableBytes());
    reply.setByte(5, 1);
    assertMalformed(() -> Frames.checkReply(reply, 0, reply.readableBytes()));
  }

  @Test
  void theLargestTransactionIsTaken() throws FrameException {
    ByteBuf out = Unpooled.buffer();
    int rowsBytes = Limits.TRANSACTION_ROWS_MAX * Long.BYTES;
    Frames.writeHeader(out, FrameType.COMMIT, 1, 7, Frames.COMMIT_FIXED_BYTES + rowsBytes);
    out.writeLong(16).writeLong(TICKET);
    out.writeInt(Limits.TRANSACTION_ROWS_MAX).writeZero(rowsBytes);
    Frames.checkRequest(out, 0, out.readableBytes());
  }

  @Test
  void aHeaderThatIsFinishedLaterCountsFromItself() throws FrameException {
    ByteBuf out = Unpooled.buffer().writeZero(5);
    Frames.writeHeader(out, FrameType.ABORT, 0, 7, 0);
    out.writeLong(16).writeLong(TICKET).writeLong(32).writeLong(TICKET);
    Frames.finishFrame(out, 5, 2);
    int size = Frames.frameBytes(out, 5);
    assertEquals(out.writerIndex() - 5, size);
    Frames.checkRequest(out, 5, size);
  }

  @Test
  void theLengthIsKnownFromItsFourBytesOn() throws FrameException {
    ByteBuf out = Unpooled.buffer().writeInt(8);
    assertEquals(12, Frames.frameBytes(out, 0));
    assertEquals(0, Frames.frameBytes(out, 1));
    out.setInt(0, Limits.FRAME_BYTES_MAX);
    assertEquals(Limits.FRAME_BYTES_MAX + Frames.LENGTH_BYTES, Frames.frameBytes(out, 0));
    for (int[] bad :
        new int[][] {
          {7, ErrorCode.MALFORMED_FRAME.number()},
          {-1, ErrorCode.MALFORMED_FRAME.number()},
          {Limits.FRAME_BYTES_MAX + 1, ErrorCode.TOO_LARGE.number()}
        }) {
      out.setInt(0, bad[0]);
      FrameException e = assertThrows(FrameException.class, () -> Frames.frameBytes(out, 0));
      assertEquals(bad[1], e.code().number());
    }
  }

  @Test
  void aFrameAsksForSoManyTimestampsAndNoMore() throws FrameException {
    ByteBuf out = Unpooled.buffer();
    int size = (Limits.FRAME_TIMESTAMPS_MAX + 1) * Frames.COMMIT_FIXED_BYTES;
    Frames.writeHeader(out, FrameType.COMMIT, Limits.FRAME_TIMESTAMPS_MAX + 1, 7, size);
    out.writeZero(size);
    FrameException tooMany =
        assertThrows(FrameException.class, () -> Frames.checkRequest(out, 0, out.readableBytes()));
    assertEquals(ErrorCode.TOO_LARGE, tooMany.code());
    out.clear();
    int readsSize = (Limits.FRAME_TIMESTAMPS_MAX + 1) * Frames.COMMIT_READS_FIXED_BYTES;
    Frames.writeHeader(out, FrameType.COMMIT_READS, Limits.FRAME_TIMESTAMPS_MAX + 1, 7, readsSize);
    out.writeZero(readsSize);
    tooMany =
        assertThrows(FrameException.class, () -> Frames.checkRequest(out, 0, out.readableBytes()));
    assertEquals(ErrorCode.TOO_LARGE, tooMany.code());
    out.clear();
    Frames.writeHeader(out, FrameType.BEGIN, Limits.FRAME_TIMESTAMPS_MAX, 7, 0);
    Frames.checkRequest(out, 0, out.readableBytes());
    out.setShort(6, Limits.FRAME_TIMESTAMPS_MAX + 1);
    FrameException e =
        assertThrows(FrameException.class, () -> Frames.checkRequest(out, 0, out.readableBytes()));
    assertEquals(ErrorCode.TOO_LARGE, e.code());
    Frames.writeHeader(out.clear(), FrameType.WATERMARK, Limits.FRAME_TIMESTAMPS_MAX + 1, 7, 0);
    Frames.checkRequest(out, 0, out.readableBytes());
    out.setShort(6, Limits.FRAME_REQUESTS_MAX + 1);
    e = assertThrows(FrameException.class, () -> Frames.checkRequest(out, 0, out.readableBytes()));
    assertEquals(ErrorCode.TOO_LARGE, e.code());
  }

  @Test
  void largestCommitFitsIntoAFrame() {
    int bytes =
        Frames.HEADER_BYTES
            - Frames.LENGTH_BYTES
            + Frames.COMMIT_READS_FIXED_BYTES
            + Limits.TRANSACTION_IDS_MAX * Long.BYTES;
    assertTrue(bytes <= Limits.FRAME_BYTES_MAX);
    assertTrue(Limits.FRAME_REQUESTS_MAX * Frames.TICKET_BYTES + 8 <= Limits.FRAME_BYTES_MAX);
  }

  @Test
  void versionIsTheHighestThatBothSpeak() throws FrameException {
    int newest = Handshake.VERSION_MAX;
    int oldest = Handshake.VERSION_MIN;
    assertEquals(4, newest, "which tells the steps of commits");
    assertEquals(1, oldest);
    assertEquals(newest, Handshake.chooseVersion(oldest, newest));
    assertEquals(newest, Handshake.chooseVersion(newest, newest + 1));
    assertEquals(oldest, Handshake.chooseVersion(oldest - 1, oldest));
    assertEquals(newest, Handshake.chooseVersion(0, 9));
    int[][] others = {{newest + 1, newest + 2}, {oldest - 1, oldest - 1}, {newest + 2, oldest}};
    for (int[] range : others) {
      FrameException e =
          assertThrows(FrameException.class, () -> Handshake.chooseVersion(range[0], range[1]));
      assertEquals(ErrorCode.UNSUPPORTED_VERSION, e.code());
      String client = "the client " + range[0] + " to " + range[1];
      assertTrue(e.getMessage().contains(client + "; upgrade the older side"), e.getMessage());
    }
  }

  @Test
  void textsAreCutAtAWholeCharacter() {
    ByteBuf out = Unpooled.buffer();
    Frames.writeError(out, 1, ErrorCode.STALLED, "x" + "é".repeat(Limits.ERROR_TEXT_BYTES_MAX));
    String text = Frames.errorText(out, 0);
    assertEquals("x" + "é".repeat((Limits.ERROR_TEXT_BYTES_MAX - 1) / 2), text);
    String whole = "x".repeat(Limits.ERROR_TEXT_BYTES_MAX);
    Frames.writeError(out.clear(), 1, ErrorCode.STALLED, whole);
    assertEquals(whole, Frames.errorText(out, 0));
  }

  @Test
  void errorCodesKeepTheirNumbers() {
    ErrorCode[] codes = ErrorCode.values();
    int[] numbers = new int[codes.length];
    for (int i = 0; i < codes.length; i++) {
      numbers[i] = codes[i].number();
      assertEquals(codes[i], ErrorCode.of(numbers[i]));
    }
    assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, numbers);
    assertNull(ErrorCode.of(99));
  }

  @Test
  void errorsThatAreAboutOneFrameKeepTheConnection() {
    Set<ErrorCode> keeping =
        EnumSet.of(ErrorCode.NOT_LEADER, ErrorCode.DEPOSED, ErrorCode.NOT_PERMITTED);
    for (ErrorCode code : ErrorCode.values()) {
      assertEquals(keeping.contains(code), code.keepsConnection(), code::name);
    }
  }

  @Test
  void timestampsArePositiveMultiplesOfTheGap() {
    assertTrue(Timestamps.isWellFormed(Timestamps.GAP));
    assertTrue(Timestamps.isWellFormed(Timestamps.MAX));
    for (long bad : new long[] {0, 1, -Timestamps.GAP, 17, Timestamps.MAX + Timestamps.GAP}) {
      assertFalse(Timestamps.isWellFormed(bad), () -> "" + bad);
    }
  }

  @Test
  void outcomesHaveNames() {
    assertEquals("committed at 32", Outcome.nameOf(32));
    for (long outcome = Outcome.NOT_OWNER; outcome <= 0; outcome++) {
      assertFalse(Outcome.nameOf(outcome).startsWith("outcome "), Outcome.nameOf(outcome));
    }
    assertEquals("outcome -99", Outcome.nameOf(-99));
    assertTrue(Outcome.nameOf(Long.MIN_VALUE).startsWith("outcome "));
  }
}
