package io.retso.hbase.read;

import io.retso.hbase.table.PreparedTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/** Gets that a transaction sends to one table together. Thread-safe. */
public final class RowReads {
  private final TableReaders readers;
  private final PreparedTable table;
  private final List<Get> gets;

  /** Reads of checked gets, which are not changed as long as they are carried out. */
  public RowReads(TableReaders readers, PreparedTable table, List<Get> gets) {
    this.readers = readers;
    this.table = table;
    this.gets = gets;
  }

  int size() {
    return gets.size();
  }

  /**
   * What is looked at, to be kept: gets share their arrays with the application, which may use them
   * for something else once they are answered. Without the filter, of which nothing depends.
   */
  RowReads copy() {
    return new RowReads(readers, table, gets.stream().map(RowReads::copy).toList());
  }

  private static Get copy(Get get) {
    Get copy = new Get(get.getRow().clone());
    get.getFamilyMap()
        .forEach(
            (family, columns) -> {
              byte[] name = family.clone();
              if (columns == null) {
                copy.addFamily(name);
              } else {
                columns.forEach(column -> copy.addColumn(name, column.clone()));
              }
            });
    return copy;
  }

  /** Reads at a timestamp; the answers are in the order of the gets. */
  CompletableFuture<List<Result>> at(long timestamp) {
    return readers.at(table, timestamp).getAll(gets);
  }

  /** Whether {@link #ifCurrent} can be asked: regions answer, with cells. */
  boolean canValidate() {
    return table.isServerReads() && gets.stream().noneMatch(Get::isCheckExistenceOnly);
  }

  /**
   * Reads at a timestamp; empty if any of the rows has, or may have, changed between that timestamp
   * and the moment of the read.
   */
  CompletableFuture<Optional<List<Result>>> ifCurrent(long timestamp) {
    return readers.atRegions(table, timestamp).ifCurrent(gets);
  }

  /**
   * The first commit above {@code from}, and below {@code upTo}, that changed anything that was
   * read and validated; {@code upTo} if there is none. One request per table and region server.
   *
   * @param from a snapshot that is open, so that regions keep what is needed
   * @param upTo issued by the oracle before this call
   */
  static CompletableFuture<Long> firstChange(List<RowReads> all, long from, long upTo) {
    Map<TableName, List<RowReads>> tables = new LinkedHashMap<>();
    for (RowReads reads : all) {
      tables.computeIfAbsent(reads.table.name(), name -> new ArrayList<>()).add(reads);
    }
    CompletableFuture<Long> first = CompletableFuture.completedFuture(upTo);
    for (List<RowReads> ofOneTable : tables.values()) {
      List<Get> gets = ofOneTable.stream().flatMap(reads -> reads.gets.stream()).toList();
      RowReads one = ofOneTable.get(0);
      CompletableFuture<Long> change =
          one.readers.atRegions(one.table, from).firstChange(gets, upTo);
      first = first.thenCombine(change, Math::min);
    }
    return first;
  }
}
