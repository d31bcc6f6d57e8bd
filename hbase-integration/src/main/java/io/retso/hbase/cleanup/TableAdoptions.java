package io.retso.hbase.cleanup;

import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.trace.TraceContext;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Tells the regions of one table, once each, how the transactions of a batch ended that wrote there
 * ({@link AdoptionRequest}).
 *
 * <p>Which region has a row is what HBase's client remembers, and may be wrong by the time the
 * request is there. So nothing rests on it: a region answers "adopted" only if the request's row is
 * its first one, and it has as many rows of the transaction as the request says. Of two ranges of
 * keys that begin with the same key one is within the other; so equal numbers are equal rows.
 *
 * <p>Used once; its steps follow each other, on threads of HBase's client or of the sender.
 */
final class TableAdoptions {
  /** A region as the client remembers it, and what it is to be told. */
  private record Region(byte[] start, byte[] end, List<CleanupPart> parts) {
    Region(RegionInfo region) {
      this(region.getStartKey(), region.getEndKey(), new ArrayList<>());
    }

    boolean ends(byte[] row) {
      return end.length > 0 && Bytes.compareTo(row, end) >= 0;
    }
  }

  private final PreparedTable table;
  private final BooleanSupplier wanted;
  private final CleanupAnswers answers;

  /** Those whose regions are not known yet. */
  private final Deque<CleanupPart> unlocated;

  private final List<Region> regions = new ArrayList<>();
  private final NavigableMap<byte[], Region> byStart = new TreeMap<>(Bytes.BYTES_COMPARATOR);
  private final CompletableFuture<Void> answered = new CompletableFuture<>();

  private TableAdoptions(
      PreparedTable table,
      List<CleanupPart> parts,
      BooleanSupplier wanted,
      CleanupAnswers answers) {
    this.table = table;
    this.wanted = wanted;
    this.answers = answers;
    this.unlocated = new ArrayDeque<>(parts);
  }

  /**
   * Sends what the parts come to; never throws.
   *
   * @param wanted whether it is still to be sent when the regions are known
   * @return completes when all is answered or has failed
   */
  static CompletableFuture<Void> send(
      PreparedTable table,
      List<CleanupPart> parts,
      BooleanSupplier wanted,
      CleanupAnswers answers) {
    TableAdoptions adoptions = new TableAdoptions(table, parts, wanted, answers);
    adoptions.proceed();
    return adoptions.answered;
  }

  /** Whatever is thrown before all is sent is an attempt that has failed, of all parts. */
  private void proceed() {
    try {
      locate();
    } catch (RuntimeException | Error e) {
      long now = answers.nanoTime();
      unlocated.forEach(part -> answers.ended(part, now, e));
      regions.forEach(region -> region.parts.forEach(part -> answers.ended(part, now, e)));
      answered.complete(null);
    }
  }

  /** Finds the regions; mostly they are known, and no future is waited for. */
  private void locate() {
    while (!unlocated.isEmpty()) {
      byte[] row = unlocated.peek().firstRow();
      Region known = known(row);
      if (known != null) {
        give(unlocated.poll(), known);
        continue;
      }
      CompletableFuture<HRegionLocation> asked = TraceContext.keep(ask(row));
      if (!asked.isDone()) {
        asked.whenComplete(
            (location, failure) -> {
              located(location, failure);
              proceed();
            });
        return;
      }
      asked.whenComplete(this::located);
    }
    send();
  }

  private CompletableFuture<HRegionLocation> ask(byte[] row) {
    try {
      CompletableFuture<HRegionLocation> asked = table.regions().getRegionLocation(row);
      if (asked.isDone()) {
        return asked;
      }
      long millis = table.shortTimeout().getOperationTimeout(TimeUnit.MILLISECONDS);
      return Timers.failAfter(asked.copy(), millis);
    } catch (RuntimeException e) {
      return Futures.failed(e);
    }
  }

  private void located(HRegionLocation location, Throwable failure) {
    CleanupPart part = unlocated.poll();
    if (location == null || !location.getRegion().containsRow(part.firstRow())) {
      Throwable cause =
          failure == null ? new IOException("no region has the row") : Futures.unwrap(failure);
      answers.ended(part, answers.nanoTime(), cause);
      return;
    }
    Region region = new Region(location.getRegion());
    regions.add(region);
    byStart.put(region.start, region);
    give(part, region);
  }

  /** The region of a row, if this batch has met it; otherwise null. */
  private Region known(byte[] row) {
    Map.Entry<byte[], Region> known = byStart.floorEntry(row);
    return known == null || known.getValue().ends(row) ? null : known.getValue();
  }

  /** Gives a region those rows of a part that it has. */
  private void give(CleanupPart part, Region region) {
    int end = part.rows().endOf(part.from(), part.to(), region.end);
    if (end < part.to()) {
      unlocated.push(part.slice(end, part.to()));
    }
    region.parts.add(part.slice(part.from(), end));
  }

  private void send() {
    long now = answers.nanoTime();
    List<List<CleanupPart>> lists = new ArrayList<>();
    List<AdoptionRequest> requests = new ArrayList<>();
    for (Region region : regions) {
      byte[] row = AdoptionRequest.firstRow(region.start);
      List<CleanupPart> parts = region.parts;
      for (int i = 0; i < parts.size(); i += AdoptionRequest.ADOPTIONS_MAX) {
        List<CleanupPart> list =
            parts.subList(i, Math.min(parts.size(), i + AdoptionRequest.ADOPTIONS_MAX));
        lists.add(list);
        requests.add(new AdoptionRequest(row, list.stream().map(CleanupPart::adoption).toList()));
      }
    }
    List<CompletableFuture<Object>> sent = sent(requests);
    List<CompletableFuture<Object>> all = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      AdoptionRequest request = requests.get(i);
      List<CleanupPart> list = lists.get(i);
      all.add(
          sent.get(i)
              .whenComplete((answer, failure) -> answered(request, list, now, answer, failure)));
    }
    Futures.all(all).whenComplete((done, failure) -> answered.complete(null));
  }

  private List<CompletableFuture<Object>> sent(List<AdoptionRequest> requests) {
    if (requests.isEmpty()) {
      return List.of(); // no region was found
    }
    if (wanted.getAsBoolean()) {
      List<Put> puts = requests.stream().map(list -> list.toPut(table.fingerprint())).toList();
      return RowCleanup.inHalves(
          table.shortTimeout(), puts, 1, table.shortTimeout()::<Object>batch);
    }
    IOException closed = new IOException("closed when the regions were known");
    return requests.stream().map(request -> Futures.<Object>failed(closed)).toList();
  }

  private void answered(
      AdoptionRequest request,
      List<CleanupPart> list,
      long sent,
      Object answer,
      Throwable failure) {
    if (failure != null) {
      list.forEach(part -> answers.ended(part, sent, failure));
      return;
    }
    // A region without the coprocessor fails the requests for rows, with the reason.
    BitSet adopted = request.adopted(answer);
    List<CleanupPart> rowByRow = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      if (adopted != null && adopted.get(i)) {
        answers.ended(list.get(i), sent, null);
      } else {
        rowByRow.add(list.get(i).rowByRow());
      }
    }
    if (!rowByRow.isEmpty()) {
      answers.rowByRow(rowByRow);
    }
  }
}
