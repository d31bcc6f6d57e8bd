package io.retso.workload.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OracleStoreTest {
  private static final String TABLE = "t";
  private static final Row X = new Row(TABLE, "x");
  private static final Row Y = new Row(TABLE, "y");
  private static final byte[] ONE = {1};
  private static final byte[] TWO = {2};
  private static final Options WRITES = new Options("w", Isolation.SNAPSHOT, false);
  private static final Options READS = new Options("r", Isolation.SNAPSHOT, true);

  private OracleAlone alone;
  private Store store;

  @BeforeEach
  void start() throws IOException {
    alone = new OracleAlone();
    store = alone.store();
    store.create(List.of(TABLE));
  }

  @AfterEach
  void stop() throws IOException {
    alone.close();
  }

  private void write(Row row, byte[] value) throws IOException {
    try (StoreTransaction tx = store.begin(WRITES)) {
      tx.put(row, value);
      tx.commit();
    }
  }

  private byte[] read(Row row) throws IOException {
    try (StoreTransaction tx = store.begin(READS)) {
      byte[] value = tx.get(row);
      tx.commit();
      return value;
    }
  }

  private static void assertRefused(Reason reason, StoreTransaction tx) {
    assertEquals(reason, assertThrows(RefusedException.class, tx::commit).reason());
  }

  @Test
  void whatIsCommittedIsReadAndWhatIsNotIsNot() throws IOException {
    assertNull(read(X));
    write(X, ONE);
    try (StoreTransaction tx = store.begin(WRITES)) {
      tx.put(X, TWO);
      assertArrayEquals(TWO, tx.get(X));
    }
    assertArrayEquals(ONE, read(X));
  }

  @Test
  void aSnapshotStaysAsItWasHoweverManyVersionsFollow() throws IOException {
    write(X, ONE);
    for (Options options : List.of(WRITES, READS)) {
      write(X, ONE);
      try (StoreTransaction tx = store.begin(options)) {
        for (int i = 0; i < 50; i++) {
          write(X, TWO);
          write(Y, TWO);
        }
        assertArrayEquals(ONE, tx.get(X));
      }
      assertArrayEquals(TWO, read(X));
    }
  }

  @Test
  void ofTwoWritersOfARowOneIsRefused() throws IOException {
    try (StoreTransaction a = store.begin(WRITES);
        StoreTransaction b = store.begin(WRITES)) {
      a.put(X, ONE);
      b.put(X, TWO);
      a.commit();
      assertRefused(Reason.CONFLICT, b);
    }
    assertArrayEquals(ONE, read(X));
  }

  @Test
  void aLockIsRefusedBesideAWriterAndChangesNothing() throws IOException {
    write(X, ONE);
    try (StoreTransaction a = store.begin(WRITES);
        StoreTransaction b = store.begin(WRITES)) {
      assertArrayEquals(ONE, a.lock(X));
      b.put(X, TWO);
      a.commit();
      assertRefused(Reason.CONFLICT, b);
    }
    assertArrayEquals(ONE, read(X));
  }

  @Test
  void aValidatedReadIsRefusedAfterAWriterAndRefusesNobody() throws IOException {
    write(X, ONE);
    try (StoreTransaction a = store.begin(WRITES);
        StoreTransaction b = store.begin(WRITES);
        StoreTransaction c = store.begin(WRITES)) {
      assertArrayEquals(ONE, a.validate(X));
      a.put(Y, ONE);
      a.commit();
      b.put(X, TWO);
      b.commit();
      c.validate(X);
      c.put(new Row(TABLE, "z"), ONE);
      assertRefused(Reason.CONFLICT, c);
    }
  }

  private static Options serializable(boolean readOnly) {
    return new Options("s", Isolation.SERIALIZABLE, readOnly);
  }

  @Test
  void writeSkewIsRefused() throws IOException {
    try (StoreTransaction a = store.begin(serializable(false));
        StoreTransaction b = store.begin(serializable(false))) {
      a.get(X);
      b.get(Y);
      a.put(Y, ONE);
      b.put(X, ONE);
      a.commit();
      assertRefused(Reason.PIVOT, b);
    }
  }

  @Test
  void writeSkewThroughScansIsRefused() throws IOException {
    try (StoreTransaction a = store.begin(serializable(false));
        StoreTransaction b = store.begin(serializable(false))) {
      a.scan(TABLE, (key, value) -> {});
      b.scan(TABLE, (key, value) -> {});
      a.put(Y, ONE);
      b.put(X, ONE);
      a.commit();
      assertTrue(assertThrows(RefusedException.class, b::commit).reason().isCertification());
    }
  }

  @Test
  void readersOfSafeSnapshotsAreNeverRefusedHoweverManyVersionsFollow() throws IOException {
    for (int i = 0; i < 300; i++) {
      try (StoreTransaction reader = store.begin(serializable(true))) {
        byte[] before = reader.get(X);
        write(X, new byte[] {(byte) i});
        assertArrayEquals(before, reader.get(X));
        reader.commit();
      }
    }
  }

  @Test
  void aScanHasAllRowsOfItsSnapshotInOrder() throws IOException {
    write(Y, ONE);
    write(X, TWO);
    List<String> rows = new ArrayList<>();
    try (StoreTransaction tx = store.begin(READS)) {
      write(new Row(TABLE, "z"), ONE);
      tx.scan(TABLE, (key, value) -> rows.add(key + value[0]));
    }
    assertEquals(List.of("x2", "y1"), rows);
  }
}
