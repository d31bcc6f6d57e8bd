package io.retso.workload.store;

import io.retso.text.ErrorText;
import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.UnknownOutcomeException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

/**
 * PostgreSQL. Every statement is a round trip; in the paper a program was one, a stored procedure.
 * SELECT FOR UPDATE stands for a lock; there are no validated reads.
 */
public final class PostgresStore implements Store {
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String DEADLOCK = "40P01";
  private static final String OUT_OF_MEMORY = "53200";

  /** How PostgreSQL begins to say that another one has written the same row. */
  private static final String SAME_ROW = "could not serialize access due to concurrent";

  private static final List<String> FACTS =
      List.of(
          "server_version",
          "fsync",
          "synchronous_commit",
          "wal_sync_method",
          "full_page_writes",
          "commit_delay",
          "shared_buffers");

  private final String url;
  private final Queue<Session> idle = new ConcurrentLinkedQueue<>();
  private final Map<String, String> settings = new ConcurrentHashMap<>();

  /** Connects when there is something to do. */
  public PostgresStore(String url) {
    this.url = url;
  }

  /**
   * Has a setting for all connections, such as one of the planner.
   *
   * @throws IllegalStateException if there are some already
   */
  public void set(String setting, String value) {
    if (!idle.isEmpty()) {
      throw new IllegalStateException("there are connections without it: set it first");
    }
    settings.put(setting, value);
  }

  /** A connection with its statements. For one thread at a time. */
  private static final class Session {
    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private int isolation = Connection.TRANSACTION_NONE;
    private boolean readOnly;

    Session(String url, Map<String, String> settings) throws SQLException {
      connection = DriverManager.getConnection(url);
      try (Statement statement = connection.createStatement()) {
        for (Map.Entry<String, String> setting : settings.entrySet()) {
          statement.execute("SET " + setting.getKey() + " = " + setting.getValue());
        }
      }
      connection.setAutoCommit(false);
    }

    PreparedStatement statement(String sql) throws SQLException {
      PreparedStatement known = statements.get(sql);
      if (known == null) {
        known = connection.prepareStatement(sql);
        statements.put(sql, known);
      }
      return known;
    }

    /** Takes effect with the first statement of a transaction; no round trip if it is as before. */
    void begin(Options options) throws SQLException {
      int level =
          switch (options.isolation()) {
            case READ_COMMITTED -> Connection.TRANSACTION_READ_COMMITTED;
            case SNAPSHOT -> Connection.TRANSACTION_REPEATABLE_READ;
            case SERIALIZABLE -> Connection.TRANSACTION_SERIALIZABLE;
          };
      if (level != isolation) {
        connection.setTransactionIsolation(level);
        isolation = level;
      }
      if (readOnly != options.readOnly()) {
        connection.setReadOnly(options.readOnly());
        readOnly = options.readOnly();
      }
      if (options.deferred()) {
        statement("SET TRANSACTION DEFERRABLE").execute(); // its first read waits
      }
    }
  }

  private Session session() throws IOException {
    Session session = idle.poll();
    try {
      return session == null ? new Session(url, settings) : session;
    } catch (SQLException e) {
      // Without the cause, which says less; and without the URL, which may have a password.
      throw new IOException("cannot connect to PostgreSQL: " + ErrorText.of(e));
    }
  }

  @Override
  public void create(List<String> tables) throws IOException {
    Session session = session();
    try (Statement statement = session.connection.createStatement()) {
      session.begin(Options.ALONE); // the last one may have been read-only
      for (String table : tables) {
        statement.execute("DROP TABLE IF EXISTS " + table);
        statement.execute(
            "CREATE TABLE " + table + " (k text COLLATE \"C\" PRIMARY KEY, v bytea NOT NULL)");
      }
      session.connection.commit();
    } catch (SQLException e) {
      throw new IOException(e);
    }
    idle.add(session);
  }

  /** With statistics, so that its planner reads ranges by their keys from the beginning. */
  @Override
  public void fill(Map<Row, byte[]> rows) throws IOException {
    Store.super.fill(rows);
    Session session = session();
    try (Statement statement = session.connection.createStatement()) {
      session.begin(Options.ALONE);
      for (String table : rows.keySet().stream().map(Row::table).distinct().toList()) {
        statement.execute("ANALYZE " + table);
      }
      session.connection.commit();
    } catch (SQLException e) {
      throw new IOException(e);
    }
    idle.add(session);
  }

  /** Version, and settings that decide whether a commit is on the disk when it is answered. */
  @Override
  public Map<String, String> facts() throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    List<String> shown = new ArrayList<>(FACTS);
    shown.addAll(new TreeSet<>(settings.keySet()));
    Session session = session();
    try (Statement statement = session.connection.createStatement()) {
      session.begin(Options.ALONE); // the last one may have waited
      for (String setting : shown) {
        try (ResultSet found = statement.executeQuery("SHOW " + setting)) {
          found.next();
          facts.put(setting, found.getString(1));
        }
      }
      session.connection.commit();
    } catch (SQLException e) {
      throw new IOException(e);
    }
    idle.add(session);
    return facts;
  }

  @Override
  public StoreTransaction begin(Options options) throws IOException {
    Session session = session();
    try {
      session.begin(options);
      return new SqlTransaction(session);
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      for (Session session = idle.poll(); session != null; session = idle.poll()) {
        session.connection.close();
      }
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  private static IOException translated(SQLException failure) {
    if (DEADLOCK.equals(failure.getSQLState())) {
      return new RefusedException(Reason.DEADLOCK, failure);
    }
    if (OUT_OF_MEMORY.equals(failure.getSQLState())) {
      return new RefusedException(Reason.OUT_OF_MEMORY, failure);
    }
    if (SERIALIZATION_FAILURE.equals(failure.getSQLState())) {
      boolean isConflict = ErrorText.of(failure).contains(SAME_ROW);
      return new RefusedException(isConflict ? Reason.CONFLICT : Reason.DANGEROUS, failure);
    }
    return new IOException(failure);
  }

  private final class SqlTransaction implements StoreTransaction {
    private final Session session;
    private boolean isCommitted;

    SqlTransaction(Session session) {
      this.session = session;
    }

    private byte[] read(String sql, Row row) throws IOException {
      try {
        PreparedStatement statement = session.statement(sql);
        statement.setString(1, row.key());
        try (ResultSet found = statement.executeQuery()) {
          return found.next() ? found.getBytes(1) : null;
        }
      } catch (SQLException e) {
        throw translated(e);
      }
    }

    @Override
    public byte[] get(Row row) throws IOException {
      return read("SELECT v FROM " + row.table() + " WHERE k = ?", row);
    }

    @Override
    public List<byte[]> getAll(String table, List<String> keys) throws IOException {
      try {
        PreparedStatement statement =
            session.statement("SELECT k, v FROM " + table + " WHERE k = ANY (?)");
        statement.setArray(1, session.connection.createArrayOf("text", keys.toArray()));
        Map<String, byte[]> found = new HashMap<>();
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            found.put(rows.getString(1), rows.getBytes(2));
          }
        }
        List<byte[]> values = new ArrayList<>(keys.size()); // some may be null
        keys.forEach(key -> values.add(found.get(key)));
        return values;
      } catch (SQLException e) {
        throw translated(e);
      }
    }

    @Override
    public byte[] lock(Row row) throws IOException {
      return read("SELECT v FROM " + row.table() + " WHERE k = ? FOR UPDATE", row);
    }

    @Override
    public byte[] validate(Row row) {
      throw new UnsupportedOperationException("PostgreSQL has no validated reads");
    }

    @Override
    public void put(Row row, byte[] value) throws IOException {
      try {
        PreparedStatement statement =
            session.statement(
                "INSERT INTO "
                    + row.table()
                    + " VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v");
        statement.setString(1, row.key());
        statement.setBytes(2, value);
        statement.executeUpdate();
      } catch (SQLException e) {
        throw translated(e);
      }
    }

    @Override
    public void delete(Row row) throws IOException {
      try {
        PreparedStatement statement =
            session.statement("DELETE FROM " + row.table() + " WHERE k = ?");
        statement.setString(1, row.key());
        statement.executeUpdate();
      } catch (SQLException e) {
        throw translated(e);
      }
    }

    @Override
    public void scan(Range range, int limit, BiConsumer<String, byte[]> each) throws IOException {
      String sql =
          "SELECT k, v FROM "
              + range.table()
              + " WHERE k >= ?"
              + (range.to().isEmpty() ? "" : " AND k < ?")
              + " ORDER BY k"
              + (limit == NO_LIMIT ? "" : " LIMIT " + limit);
      try {
        PreparedStatement statement = session.statement(sql);
        statement.setString(1, range.from());
        if (!range.to().isEmpty()) {
          statement.setString(2, range.to());
        }
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            each.accept(rows.getString(1), rows.getBytes(2));
          }
        }
      } catch (SQLException e) {
        throw translated(e);
      }
    }

    @Override
    public void commit() throws IOException {
      try {
        session.connection.commit();
        isCommitted = true;
      } catch (SQLException e) {
        IOException failure = translated(e);
        throw failure instanceof RefusedException ? failure : new UnknownOutcomeException(e);
      }
    }

    @Override
    public void close() throws IOException {
      try {
        if (!isCommitted) {
          session.connection.rollback();
        }
      } catch (SQLException e) {
        throw new IOException(e);
      }
      idle.add(session);
    }
  }
}
