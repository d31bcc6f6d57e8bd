package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.Conflict;
import io.retso.client.Conflict.Id;
import io.retso.client.Conflict.Kind;
import io.retso.client.OracleClient;
import io.retso.client.RowId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The programs of SmallBank, of which the oracle sees the ids, on ten customers: each refusal names
 * a row that was committed meanwhile. {@code -Dretso.refusals=N} lets more be refused.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class RefusedBankTest {
  private static final int REFUSALS = Integer.getInteger("retso.refusals", 3_000);
  private static final int TELLERS = 8;
  private static final int HOT = 10;
  private static final int PROGRAMS = 5;

  /** A request, and what the oracle said. */
  private record Asked(CommitRequest request, CommitResult result) {
    long start() {
      return request.transaction().startTimestamp();
    }
  }

  private static long row(String table, int customer) {
    return RowId.of(bytes(table), bytes("customer " + customer));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static CommitRequest program(Random random, CommitRequest begun) {
    int one = random.nextInt(HOT);
    int other = (one + 1 + random.nextInt(HOT - 1)) % HOT;
    long checking = row("checking", one);
    long savings = row("savings", one);
    return switch (random.nextInt(PROGRAMS)) {
      case 0 -> begun.withReads(checking, savings); // balance
      case 1 -> begun.withWrites(checking); // deposit
      case 2 -> begun.withWrites(savings); // transaction on savings
      case 3 -> begun.withWrites(checking, savings, row("checking", other)); // amalgamate
      default -> begun.withReads(savings).withWrites(checking); // a check is written
    };
  }

  private static List<Asked> teller(OracleClient client, long seed, AtomicLong left) {
    Random random = new Random(seed);
    List<Asked> all = new ArrayList<>();
    while (left.get() > 0) {
      CommitRequest request = program(random, CommitRequest.of(client.begin()));
      request = random.nextBoolean() ? request.serializable() : request;
      CommitResult result = client.commit(request);
      all.add(new Asked(request, result));
      if (result.isCommitted()) {
        client.cleanedUpLater(request.transaction());
      } else {
        left.decrementAndGet();
      }
    }
    return all;
  }

  @Test
  void eachRefusalNamesARowThatWasCommittedMeanwhile() throws Exception {
    List<Asked> all = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(TELLERS);
    try (RetsoServer server = TestServers.inMemory();
        OracleClient client =
            OracleClient.builder().address("127.0.0.1:" + server.port()).build()) {
      AtomicLong left = new AtomicLong(REFUSALS);
      List<CompletableFuture<List<Asked>>> tellers = new ArrayList<>();
      for (int i = 0; i < TELLERS; i++) {
        long seed = 7 + i;
        tellers.add(CompletableFuture.supplyAsync(() -> teller(client, seed, left), threads));
      }
      for (CompletableFuture<List<Asked>> each : tellers) {
        all.addAll(each.get());
      }
    } finally {
      threads.shutdown();
    }
    Commits commits = new Commits(all);
    long refused = all.stream().filter(asked -> !asked.result.isCommitted()).count();
    assertTrue(refused >= REFUSALS, () -> refused + " refusals");
    all.stream().filter(asked -> !asked.result.isCommitted()).forEach(commits::judge);
  }

  /** What was committed, and when; the lists of ids are short. */
  private static final class Commits {
    private final Map<Long, Set<Long>> ofRow = new HashMap<>();

    Commits(List<Asked> all) {
      for (Asked asked : all) {
        if (asked.result.isCommitted()) {
          for (long id : asked.request.writes()) {
            ofRow.computeIfAbsent(id, row -> new HashSet<>()).add(asked.result.commitTimestamp());
          }
        }
      }
    }

    /**
     * It is one of the rows of the request, and the commit is the newest one that it could meet.
     */
    void judge(Asked refused) {
      Conflict met = refused.result.conflict().orElseThrow();
      long[] ids = refused.request.ids(met.changed().kind());
      Id changed = met.changed();
      boolean byWrite = refused.result.abortReason() == CommitResult.AbortReason.CONFLICT;
      assertEquals(byWrite ? Kind.WRITE : Kind.READ, changed.kind(), () -> "" + refused.result);
      assertTrue(LongStream.of(ids).anyMatch(id -> id == changed.id()));
      long at = met.commitTimestamp().orElseThrow();
      assertTrue(at > refused.start(), () -> at + " is before " + refused.start());
      assertTrue(ofRow.get(changed.id()).contains(at), () -> "none committed it at " + at);
    }
  }
}
