package io.retso.workload.rubis;

import io.retso.workload.Findings;
import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.Program;
import io.retso.workload.Store;
import io.retso.workload.Workload;
import io.retso.workload.rubis.Journal.Total;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The workload: the bidding mix. Workloads of several levels may share their tables and their
 * journal, one after the other: {@link #at}.
 */
public final class Rubis implements Workload {
  /** Seed of what is there at first. */
  private static final long SEED = 1;

  private final Scale scale;
  private final Isolation isolation;
  private final Inputs inputs;
  private final Journal journal;
  private final Map<Kind, Options> options = new EnumMap<>(Kind.class);

  /** A workload; {@link #load} comes first. */
  public Rubis(Scale scale, Isolation isolation) {
    this(scale, isolation, new Journal(scale));
  }

  private Rubis(Scale scale, Isolation isolation, Journal journal) {
    this.scale = scale;
    this.isolation = isolation;
    this.inputs = new Inputs(scale);
    this.journal = journal;
    for (Kind kind : Kind.values()) {
      options.put(kind, new Options(kind.label(), isolation, kind.isReadOnly()));
    }
  }

  /** Programs at another level, on these tables. */
  public Rubis at(Isolation other) {
    return new Rubis(scale, other, journal);
  }

  Journal journal() {
    return journal;
  }

  @Override
  public List<String> schema() {
    return Tables.ALL;
  }

  /** Fills the tables, which are empty. */
  @Override
  public void load(Store store) throws IOException {
    new Loader(scale, inputs, SEED).fill(store);
    journal.begin(scale, Audit.of(store).totals());
  }

  @Override
  public Program next(SplittableRandom random) {
    return program(Kind.any(random), random);
  }

  /** A program of a kind, about what chance chooses. */
  Program program(Kind kind, SplittableRandom random) {
    Options how = options.get(kind);
    int place = journal.place(random);
    int shown = journal.itemAt(place);
    int user = inputs.user(random);
    return switch (kind) {
      case BROWSE_CATEGORY ->
          new Browse(how, journal, Tables.ITEM_OF_CATEGORY, inputs.category(random), shown);
      case BROWSE_REGION ->
          new Browse(how, journal, Tables.ITEM_OF_REGION, inputs.region(random), shown);
      case VIEW_ITEM -> new ViewItem(how, journal, inputs.seen(random, journal));
      case BID_HISTORY -> new BidHistory(how, journal, inputs.seen(random, journal));
      case VIEW_USER -> new ViewUser(how, journal, user);
      case BID -> new PlaceBid(how, journal, user, shown, inputs.raise(random));
      case BUY_NOW -> new BuyNow(how, journal, user, place, inputs.wanted(random));
      case COMMENT ->
          new WriteComment(how, journal, user, inputs.user(random), inputs.rating(random));
      case REGISTER_ITEM -> new RegisterItem(how, journal, inputs.offer(random, false), place);
      case REGISTER_USER ->
          new RegisterUser(how, journal, inputs.name(random), inputs.region(random));
    };
  }

  /**
   * Compares the tables with each other, and with what all committed programs say that shared them.
   * Under snapshot isolation an item that is sold out may have a bid that has reached its price; if
   * serializable programs leave one more, that is wrong.
   */
  @Override
  public String check(Store store) throws IOException {
    Audit audit = Audit.of(store);
    Findings findings = audit.findings();
    Map<Total, Long> totals = audit.totals();
    for (Total total : Total.values()) {
      findings.equal(
          "all tables, beside the committed programs",
          total.toString(),
          totals.get(total),
          journal.expected(total));
    }
    long oversold = journal.newlyOversold(audit.oversold());
    if (isolation == Isolation.SERIALIZABLE) {
      findings.equal("this run", "bids beside the last purchase", oversold, 0);
    }
    findings.equal("programs that read", "pages of no snapshot", journal.torn.sum(), 0);
    return findings.toString();
  }
}
