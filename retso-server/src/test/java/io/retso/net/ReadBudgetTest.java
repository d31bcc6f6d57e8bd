package io.retso.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadBudgetTest {
  private final ReadBudget budget = new ReadBudget();
  private final EmbeddedChannel channel = new EmbeddedChannel();

  /** Reads a connection in which everything is readable, as a turn does; returns the bytes. */
  private int read() {
    ExtendedHandle connection = budget.newHandle();
    connection.reset(channel.config());
    int bytes = 0;
    do {
      int piece = connection.guess();
      connection.attemptedBytesRead(piece);
      connection.lastBytesRead(piece);
      connection.incMessagesRead(1);
      bytes += piece;
    } while (connection.continueReading());
    return bytes;
  }

  @Test
  void aTurnIsBoundedOverAllConnectionsAndReadsFromEach() {
    for (int turn = 0; turn < 3; turn++) {
      budget.newTurn();
      List<Integer> read = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        read.add(read());
      }
      assertEquals(ReadBudget.PIECES * ReadBudget.PIECE_BYTES, read.get(0), "of one connection");
      assertEquals(ReadBudget.PIECE_BYTES_MIN, read.get(999), "something of each");
      int rest = read.size() * ReadBudget.PIECE_BYTES_MIN + ReadBudget.PIECE_BYTES;
      int all = read.stream().mapToInt(Integer::intValue).sum();
      assertTrue(all <= ReadBudget.TURN_BYTES + rest, all + " bytes");
    }
  }
}
