package io.retso.hbase.table;

import io.retso.hbase.errors.ConflictingChange.Place;
import io.retso.hbase.errors.ConflictingChange.Use;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.client.Get;

/**
 * What stands behind the ids of a transaction, to say why the oracle refused it. Keeps as much as
 * {@value #BYTES_MAX} bytes hold, of what came first. Not thread-safe.
 */
public final class IdNames {
  /** Bytes of memory, about. */
  static final int BYTES_MAX = 1 << 20;

  /** What an id costs besides the bytes of keys. */
  private static final int ID_BYTES = 128;

  private final Map<Long, Place> places = new HashMap<>();
  private int bytes;

  /** Names an id, unless it has a name. */
  public void add(long id, Place place) {
    int more = ID_BYTES + place.keyBytes();
    if (bytes + more <= BYTES_MAX && places.putIfAbsent(id, place) == null) {
      bytes += more;
    }
  }

  /** Names what a get looks at. */
  public void add(PreparedTable table, Get get, Use use) {
    if (!table.isCellConflicts()) {
      add(table.conflictId(get.getRow(), null, null), Place.row(table.name(), use, get.getRow()));
      return;
    }
    get.getFamilyMap()
        .forEach(
            (family, columns) ->
                columns.forEach(column -> add(table, get.getRow(), family, column, use)));
  }

  /** Names what a write of a cell protects: its row, or the cell alone. */
  public void add(PreparedTable table, byte[] row, byte[] family, byte[] qualifier, Use use) {
    add(
        table.conflictId(row, family, qualifier),
        table.isCellConflicts()
            ? Place.column(table.name(), use, row, family, qualifier)
            : Place.row(table.name(), use, row));
  }

  /** The place of an id; null if it is not known. */
  public Place find(long id) {
    return places.get(id);
  }
}
