package io.retso.hbase.admin;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which tables are cleaned up by their regions, and changes of it while transactions run. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(300)
class CleanupByRegionsTest {
  private static final int ACCOUNTS = 20;
  private static final long BALANCE = 100;
  private static final long SEED = 20_260;

  private Fixture fixture;
  private Admin admin;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    admin = fixture.opened(fixture.cluster.connection().getAdmin());
    name = fixture.cluster.freshName("v");
  }

  private String cleanup() throws Exception {
    return admin.getDescriptor(name).getValue("RETSO_CLEANUP");
  }

  /** As an operator does in HBase's shell. */
  private void alter(String cleanup) throws Exception {
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
            .setValue("RETSO_CLEANUP", cleanup)
            .build());
  }

  @Test
  void regionsAdoptWhereTheyReadAndNothingIsReplicated() throws Exception {
    TableDescriptor plain = Fixture.descriptor(name).build();
    fixture.preparation().create(plain, Options.DEFAULT);
    assertEquals("REGIONS", cleanup());
    TableDescriptorBuilder replicated = TableDescriptorBuilder.newBuilder(plain);
    for (var family : plain.getColumnFamilies()) {
      replicated.modifyColumnFamily(
          ColumnFamilyDescriptorBuilder.newBuilder(family)
              .setScope(HConstants.REPLICATION_SCOPE_GLOBAL)
              .build());
    }
    TableDescriptorBuilder altered = TableDescriptorBuilder.newBuilder(admin.getDescriptor(name));
    for (var family : replicated.build().getColumnFamilies()) {
      altered.modifyColumnFamily(family);
    }
    admin.modifyTable(altered.build());
    fixture.preparation().prepare(name, Options.DEFAULT);
    assertEquals("ROWS", cleanup());
    name = fixture.cluster.freshName("v");
    fixture.preparation().create(Fixture.descriptor(name).build(), Options.CLIENT_READS);
    assertEquals("ROWS", cleanup());
    assertFalse(warnings().contains("is ROWS"), "it is to be so");
  }

  /** Nothing is changed; and while all servers know it, nothing is left of the question. */
  @Test
  void aMixedFleetIsRefused() throws Exception {
    fixture.preparation().create(Fixture.descriptor(name).build(), Options.DEFAULT);
    assertFalse(warnings().contains("is ROWS"));
    alter("ROWS");
    assertTrue(warnings().contains("is ROWS"));
    EditedAnswers answers = EditedAnswers.into(fixture.regions(name).get(0));
    for (TableDescriptor other : admin.listTableDescriptors()) { // so that this region is asked
      if (!other.getTableName().equals(name) && admin.isTableEnabled(other.getTableName())) {
        admin.disableTable(other.getTableName());
      }
    }
    answers.with(TableSettings.VERSION - 1, false);
    TableNotPreparedException e =
        assertThrows(
            TableNotPreparedException.class,
            () -> fixture.preparation().prepare(name, Options.DEFAULT));
    assertTrue(e.getMessage().contains("older version of ReTSO"), e.getMessage());
    assertEquals("ROWS", cleanup());
    fixture
        .manager()
        .run(
            tx -> {
              tx.table(name).put(put("r", "1"));
              return null;
            });
    answers.with(TableSettings.VERSION, false);
    fixture.preparation().prepare(name, Options.DEFAULT);
    assertEquals("REGIONS", cleanup());
    assertEquals("1", fixture.manager().run(tx -> read(tx.table(name), "r")));
  }

  private String warnings() throws Exception {
    return String.join("\n", fixture.preparation().warnings(name));
  }

  /** Money that moves; no snapshot may miss any. */
  private final class Bank implements AutoCloseable {
    private final ExecutorService tellers = Executors.newCachedThreadPool();
    private final AtomicBoolean isOpen = new AtomicBoolean(true);
    private final AtomicLong transfers = new AtomicLong();
    private final List<Future<?>> all = new ArrayList<>();

    private void open() throws Exception {
      fixture
          .manager()
          .run(
              tx -> {
                for (int i = 0; i < ACCOUNTS; i++) {
                  tx.table(name).put(account(i, BALANCE));
                }
                return null;
              });
    }

    private void teller(TransactionManager manager, long seed) {
      Random random = new Random(seed);
      all.add(
          tellers.submit(
              () -> {
                while (isOpen.get()) {
                  int from = random.nextInt(ACCOUNTS);
                  int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
                  manager.run(
                      tx -> {
                        TransactionalTable table = tx.table(name);
                        table.put(account(from, balance(table, from) - 1));
                        table.put(account(to, balance(table, to) + 1));
                        return null;
                      });
                  transfers.incrementAndGet();
                  assertEquals(ACCOUNTS * BALANCE, sum(manager));
                }
                return null;
              }));
    }

    /** Whether the tellers go on, for so many transfers more. */
    private void goOn(int more) throws Exception {
      long enough = transfers.get() + more;
      eventually(
          "transfers", () -> transfers.get() >= enough || all.stream().anyMatch(Future::isDone));
      for (Future<?> teller : all) {
        if (teller.isDone()) {
          teller.get();
        }
      }
    }

    private void end() throws Exception {
      isOpen.set(false);
      for (Future<?> teller : all) {
        teller.get(60, TimeUnit.SECONDS);
      }
    }

    @Override
    public void close() {
      isOpen.set(false);
      tellers.shutdownNow();
    }
  }

  private static byte[] row(int account) {
    return bytes("" + (char) ('a' + account));
  }

  private static Put account(int account, long balance) {
    return new Put(row(account)).addColumn(F, Q, Bytes.toBytes(balance));
  }

  private static long balance(TransactionalTable table, int account) throws IOException {
    return Bytes.toLong(table.get(new Get(row(account))).getValue(F, Q));
  }

  private long sum(TransactionManager manager) throws IOException {
    return manager.read(
        tx -> {
          long sum = 0;
          try (ResultScanner rows = tx.table(name).getScanner(new Scan())) {
            for (Result row : rows) {
              sum += Bytes.toLong(row.getValue(F, Q));
            }
          }
          return sum;
        });
  }

  /** Managers learn of it within 30 s, regions one by one: all of them agree at any time. */
  @Test
  void isChangedAndChangedBackWhileTransactionsRun() throws Exception {
    System.out.println("seed " + SEED);
    fixture
        .preparation()
        .create(Fixture.descriptor(name).build(), Options.DEFAULT, bytes("f"), bytes("m"));
    alter("ROWS");
    TransactionManager before = fixture.manager();
    try (Bank bank = new Bank()) {
      bank.open();
      bank.teller(before, SEED);
      bank.goOn(20);
      assertEquals(0, Inside.counters(before).rowsAdopted.sum());
      fixture.preparation().prepare(name, Options.DEFAULT);
      assertEquals("REGIONS", cleanup());
      TransactionManager after = fixture.manager(); // the other one goes by what it knows
      bank.teller(after, SEED + 1);
      bank.goOn(20);
      eventually("regions adopt", () -> Inside.counters(after).rowsAdopted.sum() > 0);
      alter("ROWS");
      long adopted = Inside.counters(after).rowsAdopted.sum();
      bank.goOn(20);
      assertEquals(adopted, Inside.counters(after).rowsAdopted.sum(), "though it still asks");
      alter("REGIONS");
      bank.goOn(20);
      bank.end();
      for (TransactionManager manager : List.of(before, after)) {
        eventually("cleaned up", () -> Inside.cleaner(manager).rows() == 0);
        assertEquals(ACCOUNTS * BALANCE, sum(manager));
      }
    }
    alter("ROWS");
    eventually("no mark is left", () -> fixture.marks(name) == 0);
    assertEquals(0, fixture.uncleaned(name));
    assertTrue(fixture.raw(name).stream().noneMatch(PendingWrite::isWellFormed), "no mark");
    assertEquals(ACCOUNTS * BALANCE, sum(fixture.manager()));
  }
}
