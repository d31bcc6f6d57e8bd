package io.retso.chaos.clients;

import io.retso.chaos.load.Successes;
import io.retso.chaos.work.Bank;
import java.util.List;

/**
 * What a process of clients came to.
 *
 * @param begins when begins of the load were answered
 * @param commits when its commits were
 * @param leaders servers that began to lead, the last thousand of them
 * @param bank what became of transfers; null without them
 * @param violations what no correct oracle does, seen without the checker of histories
 */
public record ClientsOutcome(
    Successes.Steps begins,
    Successes.Steps commits,
    List<Clients.Leader> leaders,
    Bank.Outcome bank,
    List<String> violations) {}
