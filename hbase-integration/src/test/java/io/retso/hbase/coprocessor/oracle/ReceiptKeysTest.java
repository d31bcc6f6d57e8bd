package io.retso.hbase.coprocessor.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleException;
import io.retso.client.Receipts;
import io.retso.proof.PairMac;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** When the oracle is asked for keys. */
class ReceiptKeysTest {
  private long now = 1;
  private int questions;
  private CompletableFuture<Receipts> answer = CompletableFuture.completedFuture(of(1));
  private final ReceiptKeys keys =
      new ReceiptKeys(
          () -> {
            questions++;
            return answer;
          },
          ReceiptKeysTest::await,
          () -> now);

  private static Receipts await(CompletableFuture<Receipts> answer) throws IOException {
    try {
      return answer.get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static Receipts of(long key) {
    return Receipts.of(new long[] {key, key, 0, 0});
  }

  private static long receipt(long key) {
    PairMac mac =
        new PairMac(ByteBuffer.allocate(PairMac.KEY_BYTES).putLong(key).putLong(key).array());
    mac.put(0, 16, 32);
    mac.make(1);
    return mac.code(0);
  }

  private boolean proves(long key) throws IOException {
    return keys.prove(16, 32, receipt(key));
  }

  @Test
  void theFirstReceiptAsksAndTheOthersDoNot() throws IOException {
    for (int i = 0; i < 10; i++) {
      assertTrue(proves(1));
    }
    assertEquals(1, questions);
  }

  /** As many false ones as anybody likes to send. */
  @Test
  void receiptsThatAreNotKnownAskAgainNowAndThen() throws IOException {
    for (int i = 0; i < 10; i++) {
      assertFalse(proves(2));
    }
    assertEquals(1, questions);
    now += ReceiptKeys.PAUSE_NANOS;
    for (int i = 0; i < 10; i++) {
      assertFalse(proves(2));
    }
    assertEquals(2, questions);
    answer = CompletableFuture.completedFuture(of(2));
    assertFalse(proves(2));
    now += ReceiptKeys.PAUSE_NANOS;
    assertTrue(proves(2));
    assertEquals(3, questions);
  }

  @Test
  void anOracleThatDoesNotAnswerIsAskedByTheNext() throws IOException {
    answer =
        CompletableFuture.failedFuture(
            new OracleException(OracleException.Category.UNAVAILABLE, "expected", null));
    assertThrows(IOException.class, () -> proves(1));
    assertThrows(IOException.class, () -> proves(1));
    assertEquals(2, questions);
    answer = CompletableFuture.completedFuture(of(1));
    assertTrue(proves(1));
  }

  @Test
  void oneThatIsGivenNoKeysProvesNothing() throws IOException {
    answer =
        CompletableFuture.failedFuture(
            new OracleException(OracleException.Category.NOT_PERMITTED, "expected", null));
    assertFalse(proves(1));
    assertFalse(proves(1));
    assertEquals(1, questions);
    answer = CompletableFuture.completedFuture(of(1));
    now += ReceiptKeys.PAUSE_NANOS;
    assertTrue(proves(1), "it has the role by now");
  }
}
