package io.retso.workload.rubis;

import io.retso.workload.Options;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Journal.Total;
import io.retso.workload.rubis.Rows.Comment;
import io.retso.workload.rubis.Rows.User;
import java.io.IOException;

/** Comments on a user, and rates it. */
final class WriteComment extends Visit {
  private final int author;
  private final int number;
  private final int rating;

  WriteComment(Options options, Journal journal, int author, int number, int rating) {
    super(options, journal);
    this.author = author;
    this.number = number;
    this.rating = rating;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    tx.get(Tables.user(author));
    Row row = Tables.user(number);
    User now = User.of(tx.get(row)).withComment(rating);
    tx.put(row, now.bytes());
    tx.insert(
        Tables.of(Tables.COMMENT, number, now.comments()), new Comment(author, rating).bytes());
    return true;
  }

  @Override
  public void committed() {
    journal.add(Total.COMMENTS, 1);
    journal.add(Total.RATINGS, rating);
  }
}
