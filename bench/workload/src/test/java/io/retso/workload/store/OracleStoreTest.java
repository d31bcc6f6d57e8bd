package io.retso.workload.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.workload.Options;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.UnknownOutcomeException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class OracleStoreTest extends StoreContract {
  private static final Row ROW = new Row("lost", "row");
  private static final byte[] ONE = {1};

  private static OracleAlone alone;

  @BeforeAll
  static void startOracle() throws IOException {
    alone = new OracleAlone();
    createTable(alone.store());
  }

  @AfterAll
  static void stopOracle() throws IOException {
    alone.close();
  }

  @Override
  Store store() {
    return alone.store();
  }

  /** The real oracle, whose answers to commits are lost, and maybe those to the question again. */
  private static OracleStore losingAnswers(boolean always) {
    OracleClient right = alone.client();
    OracleClient losing =
        (OracleClient)
            Proxy.newProxyInstance(
                OracleClient.class.getClassLoader(),
                new Class<?>[] {OracleClient.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("commitAsync")
                      && arguments[0] instanceof CommitRequest request) {
                    return right
                        .commitAsync(request)
                        .<CommitResult>thenApply(answer -> lost(request.transaction()));
                  }
                  if (always && method.getName().equals("abort")) {
                    return lost((TransactionHandle) arguments[0]);
                  }
                  try {
                    return method.invoke(right, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    OracleStore store = new OracleStore(losing);
    store.create(List.of(ROW.table()));
    return store;
  }

  private static CommitResult lost(TransactionHandle transaction) {
    throw new io.retso.client.UnknownOutcomeException(transaction.startTimestamp(), "lost", null);
  }

  @Test
  void aLostAnswerIsAskedForAgain() throws IOException {
    try (OracleStore store = losingAnswers(false)) {
      try (StoreTransaction tx = store.begin(Options.ALONE)) {
        tx.put(ROW, ONE);
        tx.commit();
      }
      try (StoreTransaction tx = store.begin(Options.ALONE)) {
        assertArrayEquals(ONE, tx.get(ROW));
      }
    }
  }

  @Test
  void nobodyReadsWhatMayOrMayNotBeCommitted() throws IOException {
    try (OracleStore store = losingAnswers(true)) {
      try (StoreTransaction tx = store.begin(Options.ALONE)) {
        tx.put(ROW, ONE);
        assertThrows(UnknownOutcomeException.class, tx::commit);
      }
      try (StoreTransaction tx = store.begin(Options.ALONE)) {
        assertThrows(IOException.class, () -> tx.get(ROW));
      }
    }
  }
}
