package io.retso.hbase.commit;

import io.retso.client.CommitRequest;
import io.retso.hbase.errors.WriteSetTooLargeException;
import io.retso.hbase.read.ReadSet;
import io.retso.hbase.table.IdSet;
import io.retso.hbase.write.WriteBuffer;
import io.retso.protocol.Limits;

/** Makes the request to the oracle to commit a transaction. Stateless. */
final class CommitRequests {
  private CommitRequests() {}

  /**
   * The request of a transaction whose writes are all acknowledged.
   *
   * <p>Reads and granules are made coarser where the ids would be too many.
   *
   * @throws WriteSetTooLargeException if they are too many all the same
   */
  static CommitRequest of(CommitProtocol.Writer writer) throws WriteSetTooLargeException {
    WriteBuffer writes = writer.writes();
    ReadSet reads = writer.reads();
    IdSet written = writes.written();
    CommitRequest request =
        CommitRequest.of(writer.start())
            .withWrites(written.toArray())
            .withValidated(writes.validated());
    long[] granules =
        writes.granules(
            reads.isTracked(), room(request) - (reads.isTracked() ? ReadSet.IDS_MAX : 0));
    request = request.withRangeWrites(granules);
    if (reads.isTracked()) {
      ReadSet.Ids ids = reads.ids(written, room(request));
      request = request.withReads(ids.ids()).withRangeReads(ids.ranges()).serializable();
    }
    if (room(request) < 0) {
      throw new WriteSetTooLargeException(
          ("transaction %s names %s rows and granules to the oracle, the limit is %s: split it")
              .formatted(writer.start(), request.ids(), Limits.TRANSACTION_IDS_MAX),
          null);
    }
    return request;
  }

  private static long room(CommitRequest request) {
    return Limits.TRANSACTION_IDS_MAX - request.ids();
  }
}
