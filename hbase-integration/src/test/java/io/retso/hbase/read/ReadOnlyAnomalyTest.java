package io.retso.hbase.read;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.options.Isolation.SERIALIZABLE;
import static io.retso.hbase.options.Isolation.SNAPSHOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A withdrawal reads both accounts and takes from x; a deposit reads and raises y, and commits
 * first: the withdrawal did not see it, so it comes before. A reader who sees the deposit and not
 * the withdrawal fits into no order. Under snapshot isolation readers that ask no oracle may be
 * that one, in each of the three ways in which they get their snapshot; serializable ones never
 * are.
 */
@ExtendWith(RetsoCluster.Extension.class)
class ReadOnlyAnomalyTest {
  /** Attempts at a course of things for which a shared snapshot, a second old, must be at hand. */
  private static final int ATTEMPTS_MAX = 100;

  private Fixture fixture;
  private TransactionManager manager;
  private TransactionManager writers;

  // What one course of things uses.
  private TableName name;
  private Isolation isolation;
  private Transaction withdrawal;
  private OptionalLong withdrawn;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    writers = fixture.manager();
  }

  private TransactionOptions options() {
    return TransactionOptions.DEFAULT.withIsolation(isolation);
  }

  /** Both accounts have 0; the withdrawal is open. */
  private void begin(Isolation of) throws Exception {
    isolation = of;
    withdrawn = OptionalLong.empty();
    name = fixture.table(Options.DEFAULT);
    writers.run(
        tx -> {
          tx.table(name).put(List.of(put("x", "0"), put("y", "0")));
          return null;
        });
    Fixture.eventually("cleaned up", () -> fixture.marks(name) == 0);
    TransactionOptions serializable = TransactionOptions.DEFAULT.withIsolation(SERIALIZABLE);
    withdrawal = writers.begin(serializable);
    assertEquals("0", read(withdrawal.table(name), "x"));
    assertEquals("0", read(withdrawal.table(name), "y"));
    withdrawal.table(name).put(put("x", "-11"));
  }

  private void deposit() throws Exception {
    writers.run(
        TransactionOptions.DEFAULT.withIsolation(SERIALIZABLE),
        tx -> {
          assertEquals("0", read(tx.table(name), "y"));
          tx.table(name).put(put("y", "20"));
          return null;
        });
    Fixture.eventually("cleaned up", () -> fixture.marks(name) == 0);
  }

  private void withdraw() throws IOException {
    try {
      withdrawn = withdrawal.commit();
    } catch (SerializationException e) {
      assertEquals(SerializationException.Reason.PIVOT, e.reason());
    }
  }

  /** Readers who come in the next second begin with this snapshot. */
  private void share() throws Exception {
    try (ReadTransaction tx = manager.beginReadOnly()) {
      tx.readTimestamp();
    }
  }

  private String account(ReadTransaction tx, String which) throws IOException {
    return read(tx.table(name), which);
  }

  private boolean isAnomaly(String x, String y) {
    return x.equals("0") && y.equals("20") && withdrawn.isPresent();
  }

  /** A course of things; whether the reader got its snapshot in the way that was meant. */
  private interface Course {
    boolean happened(Isolation isolation) throws Exception;
  }

  private boolean anomaly;

  private void expectAnomalyUnlessSerializable(Course course) throws Exception {
    int attempts = 0;
    while (!course.happened(SNAPSHOT)) {
      assertTrue(++attempts < ATTEMPTS_MAX, "no shared snapshot was at hand");
    }
    assertTrue(anomaly, "it is possible");
    for (int i = 0; i < 3; i++) {
      course.happened(SERIALIZABLE);
      assertFalse(anomaly, "seen by a serializable reader");
    }
  }

  @Test
  void aReaderWhoFindsEverythingUnchanged() throws Exception {
    expectAnomalyUnlessSerializable(
        of -> {
          begin(of);
          deposit();
          share();
          Counters counters = Inside.counters(manager);
          long before = counters.currentReads.sum();
          try (ReadTransaction reader = manager.beginReadOnly(options())) {
            String x = account(reader, "x");
            String y = account(reader, "y");
            withdraw();
            anomaly = isAnomaly(x, y);
          }
          return counters.currentReads.sum() == before + 2;
        });
  }

  @Test
  void aReaderWhoTakesATimestampNow() throws Exception {
    expectAnomalyUnlessSerializable(
        of -> {
          begin(of);
          share();
          try (ReadTransaction reader = manager.beginReadOnly(options())) {
            assertNull(account(reader, "z")); // unchanged, at the shared snapshot
            deposit();
            boolean isUnpinned = reader.toString().contains("without a timestamp");
            String y = account(reader, "y"); // has changed: the snapshot is of now
            String x = account(reader, "x");
            withdraw();
            anomaly = isAnomaly(x, y);
            return isUnpinned;
          }
        });
  }

  @Test
  void aReaderWhoseSnapshotIsThatOfTheFirstChange() throws Exception {
    expectAnomalyUnlessSerializable(
        of -> {
          begin(of);
          share();
          try (ReadTransaction reader = manager.beginReadOnly(options())) {
            String x = account(reader, "x"); // unchanged, at the shared snapshot
            deposit();
            withdraw(); // changes x
            String y = account(reader, "y"); // has changed: the snapshot is of x's change
            anomaly = isAnomaly(x, y);
            return withdrawn.isPresent() && reader.readTimestamp() == withdrawn.getAsLong();
          }
        });
  }
}
