package io.retso.hbase.isolation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTable;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.options.ReadSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Well-known anomalies of snapshot isolation, in all orders of begins and commits: those that
 * commit must have seen what they would have seen in one serial order. A transaction reads its
 * snapshot whenever it reads, so these orders are all that there are; each does its work right
 * after its begin or right before its commit, which is drawn ({@code -Dretso.orders.seed=N} again)
 * and must not matter.
 */
@ExtendWith(RetsoCluster.Extension.class)
class SerialOrdersTest {
  private static final long SEED = Long.getLong("retso.orders.seed", new Random().nextLong());

  /** What a program reads and writes: small numbers by name. */
  private interface Data {
    int get(String name) throws IOException;

    /** The numbers of all whose names begin so. */
    List<Integer> all(String prefix) throws IOException;

    void put(String name, int value) throws IOException;
  }

  /** A transaction's work; what it does depends on what it reads alone. */
  private interface Program {
    /** Returns all that it has learnt. */
    String run(Data data) throws IOException;
  }

  private static final Program DOCTOR_1 = data -> goesHome(data, "doctor1");
  private static final Program DOCTOR_2 = data -> goesHome(data, "doctor2");

  private static String goesHome(Data data, String doctor) throws IOException {
    long onCall = data.all("doctor").stream().filter(call -> call == 1).count();
    if (onCall > 1) {
      data.put(doctor, 0);
    }
    return onCall + " on call";
  }

  private static final Program NEW_RECEIPT =
      data -> {
        int batch = data.get("control");
        data.put("receipt" + batch + "-7", 100);
        return "batch " + batch;
      };

  private static final Program CLOSE_BATCH =
      data -> {
        int batch = data.get("control");
        data.put("control", batch + 1);
        return "batch " + batch;
      };

  private static final Program REPORT =
      data -> {
        int batch = data.get("control") - 1;
        return "batch " + batch + ": " + data.all("receipt" + batch + "-");
      };

  private static final Program BALANCE =
      data -> "balance " + (data.get("savings") + data.get("checking"));

  private static final Program WRITE_CHECK =
      data -> {
        int checking = data.get("checking");
        int total = data.get("savings") + checking;
        data.put("checking", checking - (total < 10 ? 11 : 10));
        return "total " + total;
      };

  private static final Program TRANSACT_SAVINGS =
      data -> {
        int savings = data.get("savings");
        data.put("savings", savings + 20);
        return "savings " + savings;
      };

  /** How read-only programs run. */
  private enum Reader {
    /** As all others: begun, and committed. */
    LATEST,
    /** On a safe snapshot. */
    DEFERRED
  }

  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;
  private int histories;
  private final Random random = new Random(SEED);

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    name = fixture.table(Options.DEFAULT);
  }

  /** What a transaction sees of one history's rows. */
  private record InHBase(ReadTable table, Transaction writer, TableName name, String history)
      implements Data {
    @Override
    public int get(String key) throws IOException {
      return Integer.parseInt(
          text(table.get(Fixture.get(history + key).addColumn(F, Q)).getValue(F, Q)));
    }

    @Override
    public List<Integer> all(String prefix) throws IOException {
      List<Integer> found = new ArrayList<>();
      Scan scan = new Scan().setStartStopRowForPrefixScan(bytes(history + prefix));
      try (ResultScanner rows = table.getScanner(scan)) {
        for (Result row : rows) {
          found.add(Integer.parseInt(text(row.getValue(F, Q))));
        }
      }
      return found;
    }

    @Override
    public void put(String key, int value) throws IOException {
      writer.table(name).put(Fixture.put(history + key, String.valueOf(value)));
    }
  }

  /** What a program sees that runs alone. */
  private record InMemory(TreeMap<String, Integer> values) implements Data {
    @Override
    public int get(String key) {
      return values.get(key);
    }

    @Override
    public List<Integer> all(String prefix) {
      return List.copyOf(values.subMap(prefix, prefix + '~').values());
    }

    @Override
    public void put(String key, int value) {
      values.put(key, value);
    }
  }

  /**
   * What became of one history.
   *
   * @param learnt by each program that committed; null if it did not
   */
  private record History(String[] learnt) {
    boolean isSerial(Map<String, Integer> before, List<Program> programs) throws IOException {
      return isSerial(new TreeMap<>(before), programs, 0);
    }

    /** Whether those that are left, by bits of those that are done, can follow in some order. */
    private boolean isSerial(TreeMap<String, Integer> now, List<Program> programs, int done)
        throws IOException {
      boolean isComplete = true;
      for (int i = 0; i < learnt.length; i++) {
        if (learnt[i] == null || (done & 1 << i) != 0) {
          continue;
        }
        isComplete = false;
        TreeMap<String, Integer> next = new TreeMap<>(now);
        if (programs.get(i).run(new InMemory(next)).equals(learnt[i])
            && isSerial(next, programs, done | 1 << i)) {
          return true;
        }
      }
      return isComplete;
    }

    long aborted() {
      return Arrays.stream(learnt).filter(what -> what == null).count();
    }
  }

  /** All orders in which each of them begins (first time) and commits (second time). */
  private static List<List<Integer>> orders(int[] left) {
    List<List<Integer>> all = new ArrayList<>();
    for (int i = 0; i < left.length; i++) {
      if (left[i] > 0) {
        left[i]--;
        for (List<Integer> rest : orders(left)) {
          List<Integer> order = new ArrayList<>(List.of(i));
          order.addAll(rest);
          all.add(order);
        }
        left[i]++;
      }
    }
    return all.isEmpty() ? List.of(List.of()) : all;
  }

  private History run(
      Isolation isolation,
      Reader reader,
      Map<String, Integer> before,
      List<Program> programs,
      List<Integer> order)
      throws IOException {
    String history = String.format("%04d.", histories++);
    manager.run(
        tx -> {
          for (Map.Entry<String, Integer> entry : before.entrySet()) {
            byte[] row = bytes(history + entry.getKey());
            tx.table(name).put(new Put(row).addColumn(F, Q, bytes(entry.getValue().toString())));
          }
          return null;
        });
    TransactionOptions options = TransactionOptions.DEFAULT.withIsolation(isolation);
    ReadTransaction[] open = new ReadTransaction[programs.size()];
    String[] learnt = new String[programs.size()];
    for (int i : order) {
      Program program = programs.get(i);
      boolean begins = open[i] == null;
      if (begins) {
        boolean onlyReads = program == REPORT || program == BALANCE;
        open[i] =
            onlyReads && reader == Reader.DEFERRED
                ? manager.beginReadOnly(options.withReadSnapshot(ReadSnapshot.DEFERRED))
                : manager.begin(options);
        open[i].readTimestamp(); // from now on it has its snapshot
      }
      if (begins ? random.nextBoolean() : learnt[i] == null) {
        Transaction writer = open[i] instanceof Transaction tx ? tx : null;
        learnt[i] = program.run(new InHBase(open[i].table(name), writer, name, history));
      }
      if (!begins && !isCommitted(open[i])) {
        learnt[i] = null;
      }
    }
    return new History(learnt);
  }

  private static boolean isCommitted(ReadTransaction tx) throws IOException {
    try (tx) {
      if (tx instanceof Transaction writer) {
        writer.commit();
      }
      return true;
    } catch (ConflictException | SerializationException e) {
      return false;
    }
  }

  /**
   * Runs all histories.
   *
   * @param anomalies how many of them fit into no order under snapshot isolation
   * @param aborted how many transactions of all of them abort, if they are serializable
   */
  private void expect(
      int anomalies,
      int aborted,
      Reader reader,
      Map<String, Integer> before,
      List<Program> programs)
      throws IOException {
    int[] twice = new int[programs.size()];
    Arrays.fill(twice, 2);
    List<List<Integer>> orders = orders(twice);
    int notSerial = 0;
    int conflicts = 0;
    int refused = 0;
    for (List<Integer> order : orders) {
      History snapshot = run(Isolation.SNAPSHOT, Reader.LATEST, before, programs, order);
      notSerial += snapshot.isSerial(before, programs) ? 0 : 1;
      conflicts += snapshot.aborted();
      History serializable = run(Isolation.SERIALIZABLE, reader, before, programs, order);
      assertTrue(
          serializable.isSerial(before, programs),
          () ->
              order
                  + ", -Dretso.orders.seed="
                  + SEED
                  + ": "
                  + Arrays.toString(serializable.learnt));
      refused += serializable.aborted();
    }
    assertEquals(0, conflicts, "no two write the same");
    assertEquals(
        anomalies + " anomalies, " + aborted + " aborted",
        notSerial + " anomalies, " + refused + " aborted",
        "of " + orders.size() + " histories, -Dretso.orders.seed=" + SEED);
  }

  @Test
  void ofTwoDoctorsOneStaysOnCall() throws Exception {
    expect(4, 4, Reader.LATEST, Map.of("doctor1", 1, "doctor2", 1), List.of(DOCTOR_1, DOCTOR_2));
  }

  private static final Map<String, Integer> BATCHES =
      Map.of("control", 2, "receipt1-1", 10, "receipt2-1", 20);

  @Test
  void theTotalOfAClosedBatchStays() throws Exception {
    List<Program> programs = List.of(NEW_RECEIPT, CLOSE_BATCH, REPORT);
    expect(4, 4, Reader.LATEST, BATCHES, programs);
  }

  @Test
  void soItDoesForAReaderOnASafeSnapshot() throws Exception {
    List<Program> programs = List.of(NEW_RECEIPT, CLOSE_BATCH, REPORT);
    expect(4, 4, Reader.DEFERRED, BATCHES, programs);
  }

  private static final Map<String, Integer> ACCOUNT = Map.of("savings", 0, "checking", 0);

  @Test
  void aPenaltyFitsTheBalance() throws Exception {
    List<Program> programs = List.of(BALANCE, WRITE_CHECK, TRANSACT_SAVINGS);
    expect(4, 4, Reader.LATEST, ACCOUNT, programs);
  }

  @Test
  void soItDoesOnASafeSnapshot() throws Exception {
    List<Program> programs = List.of(BALANCE, WRITE_CHECK, TRANSACT_SAVINGS);
    expect(4, 4, Reader.DEFERRED, ACCOUNT, programs);
  }
}
