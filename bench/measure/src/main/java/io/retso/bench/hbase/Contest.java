package io.retso.bench.hbase;

import static io.retso.bench.hbase.Rows.Draw.SKEWED;
import static io.retso.bench.hbase.Rows.Draw.UNIFORM;
import static io.retso.bench.hbase.Rows.Draw.WIDE;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What is compared with each other, in turns.
 *
 * @param name of what they all do
 * @param load threads, or operations under way
 * @param variants what does it, by name
 */
record Contest(String name, int load, Map<String, Measure> variants) {
  static final String PLAIN = "plain";
  static final String PLAIN_ASYNC = "plain, async";
  static final String TRANSACTIONS = "transactions";
  static final String ORACLE = "oracle alone";

  /** The name of another system; empty if none is there. */
  static final String PEER = Peer.find().map(Peer::name).orElse("");

  /** Batches that are read and written. */
  static final List<Integer> BATCHES = List.of(1, 4, 10, 100);

  /** Batches of gets whose throughput is measured. */
  static final List<Integer> THROUGHPUT_BATCHES = List.of(1, 10);

  /** Batches of puts whose throughput is measured. */
  static final List<Integer> WRITTEN_BATCHES = List.of(10, 100);

  private static final int CONTENDED_BATCH = 100;

  /** Rows that are read and written: one, or two of a transfer. */
  static final List<Integer> CHANGED = List.of(1, 2);

  /** Threads of those. */
  static final List<Integer> THREADS = List.of(8, 32);

  static final int MIX_THREADS = 8;

  /** Mixes whose throughput has a target. */
  static final List<Mix> JUDGED_MIXES = List.of(Mix.A, Mix.F);

  /** Transactions of the paper's kind under way. */
  static final List<Integer> OUTSTANDING = List.of(1, 4, 16, 64, 256);

  private static final int SINGLE_GETS = 10;

  /** One measurement of one variant. */
  interface Measure {
    ThreadedLoad.Result run(RowsMaker rows, long warmUpNanos, long measuredNanos)
        throws IOException, InterruptedException;
  }

  /** Makes rows for a thread, each with another seed. */
  interface RowsMaker {
    Rows make(Rows.Draw draw);
  }

  static String gets(int count) {
    return count == 1 ? "1 get" : "batch of " + count + " gets";
  }

  static String puts(int count) {
    return count == 1 ? "1 put" : "batch of " + count + " puts";
  }

  /** Batches of rows that were loaded, so few that many transactions conflict. */
  static String contendedPuts(int count) {
    return "contended " + puts(count);
  }

  static String changes(int rows) {
    return rows == 1 ? "read-modify-write" : "transfer between " + rows + " rows";
  }

  static String singleGets() {
    return SINGLE_GETS + " single gets";
  }

  static final String SCANS = "scan of " + Mix.SCANNED_MAX + " rows";

  static final String PAPER = "0 to 20 puts, under way";

  /** Names of all of them. */
  static List<String> names() {
    return all(
            () -> {
              throw new IllegalStateException("there are no tables for names");
            })
        .stream()
        .map(Contest::toString)
        .toList();
  }

  /** All of them; tables are asked for when they run. */
  static List<Contest> all(Supplier<BenchTables> tables) {
    Supplier<PlainOperations> plain = () -> new PlainOperations(tables.get());
    Supplier<TransactionOperations> transactions = () -> new TransactionOperations(tables.get());
    Supplier<Peer> peer = () -> tables.get().peer;
    List<Contest> all = new ArrayList<>();
    for (int count : BATCHES) {
      all.add(
          reads(plain, transactions, count, 1)
              .and(PEER, peer, UNIFORM, found -> found.gets(count)));
    }
    all.add(
        new Contest(singleGets(), 1, new LinkedHashMap<>())
            .and(PLAIN, UNIFORM, () -> plain.get().singleGets(SINGLE_GETS))
            .and(TRANSACTIONS, UNIFORM, () -> transactions.get().singleGets(SINGLE_GETS))
            .and(PEER, peer, UNIFORM, found -> found.singleGets(SINGLE_GETS)));
    all.add(
        new Contest(SCANS, 1, new LinkedHashMap<>())
            .and(PLAIN, UNIFORM, () -> plain.get().scans(Mix.SCANNED_MAX))
            .and(TRANSACTIONS, UNIFORM, () -> transactions.get().scans(Mix.SCANNED_MAX))
            .and(PEER, peer, UNIFORM, found -> found.scans(Mix.SCANNED_MAX)));
    for (int count : BATCHES) {
      all.add(
          writes(plain, transactions, peer, puts(count), count, 1, UNIFORM)
              .and(ORACLE, UNIFORM, () -> transactions.get().oracleOnly(count)));
    }
    for (int threads : THREADS) {
      for (int count : THROUGHPUT_BATCHES) {
        all.add(
            reads(plain, transactions, count, threads)
                .and(PEER, peer, UNIFORM, found -> found.gets(count)));
      }
    }
    for (int threads : THREADS) {
      for (int rows : CHANGED) {
        all.add(
            new Contest(changes(rows), threads, new LinkedHashMap<>())
                .and(PLAIN, UNIFORM, () -> plain.get().readModifyWrites(rows))
                .and(TRANSACTIONS, UNIFORM, () -> transactions.get().readModifyWrites(rows))
                .and(PEER, peer, UNIFORM, found -> found.readModifyWrites(rows))
                .and(ORACLE, UNIFORM, () -> transactions.get().oracleOnly(rows)));
      }
    }
    for (Mix mix : Mix.values()) {
      Contest contest =
          new Contest(mix.title, MIX_THREADS, new LinkedHashMap<>())
              .and(PLAIN, SKEWED, () -> plain.get().mix(mix))
              .and(TRANSACTIONS, SKEWED, () -> transactions.get().mix(mix))
              .and(PEER, peer, SKEWED, found -> found.mix(mix));
      all.add(
          JUDGED_MIXES.contains(mix)
              ? contest.and(ORACLE, UNIFORM, () -> transactions.get().oracleOnly(mix))
              : contest);
    }
    // Behind the mixes, whose reads would look into the files that all these rows end up in.
    for (int threads : THREADS) {
      for (int count : WRITTEN_BATCHES) {
        all.add(
            writes(plain, transactions, peer, puts(count), count, threads, WIDE)
                .and(ORACLE, UNIFORM, () -> transactions.get().oracleOnly(count)));
      }
      String contended = contendedPuts(CONTENDED_BATCH);
      all.add(writes(plain, transactions, peer, contended, CONTENDED_BATCH, threads, UNIFORM));
    }
    for (int outstanding : OUTSTANDING) {
      all.add(
          new Contest(PAPER, outstanding, new LinkedHashMap<>())
              .and(PLAIN_ASYNC, () -> OutstandingLoad.plain(tables.get()))
              .and(TRANSACTIONS, () -> OutstandingLoad.transactional(tables.get())));
    }
    return all;
  }

  private static Contest reads(
      Supplier<PlainOperations> plain,
      Supplier<TransactionOperations> transactions,
      int count,
      int threads) {
    return new Contest(gets(count), threads, new LinkedHashMap<>())
        .and(PLAIN, UNIFORM, () -> plain.get().gets(count))
        .and(PLAIN_ASYNC, UNIFORM, () -> plain.get().asyncGets(count))
        .and(TRANSACTIONS, UNIFORM, () -> transactions.get().gets(count));
  }

  private static Contest writes(
      Supplier<PlainOperations> plain,
      Supplier<TransactionOperations> transactions,
      Supplier<Peer> peer,
      String name,
      int count,
      int threads,
      Rows.Draw draw) {
    return new Contest(name, threads, new LinkedHashMap<>())
        .and(PLAIN, draw, () -> plain.get().puts(count))
        .and(PLAIN_ASYNC, draw, () -> plain.get().asyncPuts(count))
        .and(TRANSACTIONS, draw, () -> transactions.get().puts(count))
        .and(PEER, peer, draw, found -> found.puts(count));
  }

  private Contest and(String variant, Rows.Draw draw, Supplier<Operation.Maker> maker) {
    variants.put(
        variant,
        (rows, warmUp, measured) ->
            ThreadedLoad.run(maker.get(), () -> rows.make(draw), load, warmUp, measured));
    return this;
  }

  /** Adds a variant by another system, if one is there. */
  private Contest and(
      String variant, Supplier<Peer> peer, Rows.Draw draw, Function<Peer, Operation.Maker> maker) {
    return variant.isEmpty() ? this : and(variant, draw, () -> maker.apply(peer.get()));
  }

  private Contest and(String variant, Supplier<OutstandingLoad.Start> start) {
    variants.put(
        variant,
        (rows, warmUp, measured) ->
            OutstandingLoad.run(start.get(), rows.make(UNIFORM), load, warmUp, measured));
    return this;
  }

  @Override
  public String toString() {
    return name + ", " + load;
  }
}
