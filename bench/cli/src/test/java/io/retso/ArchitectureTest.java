package io.retso;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which rooms of a module may know which; between modules Maven says so. */
class ArchitectureTest {
  private static final JavaClasses BENCH =
      new ClassFileImporter()
          .importPaths(
              Stream.of(
                      "report", "cluster", "verify", "workload", "ycsb", "chaos", "measure", "cli")
                  .map(module -> Path.of("..", module, "target", "classes"))
                  .toList());

  @Test
  void packagesFormNoCycles() {
    slices().matching("io.retso.(**)").should().beFreeOfCycles().check(BENCH);
  }

  /** Programs run on any store. */
  @Test
  void workloadsKnowNoStores() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.retso.workload.bank",
            "io.retso.workload.rubis",
            "io.retso.workload.sibench",
            "io.retso.workload.smallbank",
            "io.retso.workload.tpcb",
            "io.retso.workload.tpcc")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.retso.workload.store", "io.retso.hbase..", "io.retso.client..")
        .check(BENCH);
  }

  @Test
  void transactionalTablesAreUsedAsApplicationsUseThem() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.retso.hbase.read",
            "io.retso.hbase.write",
            "io.retso.hbase.commit",
            "io.retso.hbase.cleanup",
            "io.retso.hbase.operation",
            "io.retso.hbase.resolve",
            "io.retso.hbase.coprocessor..")
        .check(BENCH);
  }

  /** A run makes clients and faults; these know the lists, and no run. */
  @Test
  void roomsOfVerifyKnowOnlyThoseBelowThem() {
    List<String> rooms = List.of("run", "faults", "clients", "lists");
    for (int i = 1; i < rooms.size(); i++) {
      noClasses()
          .that()
          .resideInAPackage("io.retso.verify." + rooms.get(i))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              rooms.subList(0, i).stream()
                  .map(above -> "io.retso.verify." + above)
                  .toArray(String[]::new))
          .check(BENCH);
    }
  }

  /** Clients of chaos know what they do, and no cluster: it may be anybody's. */
  @Test
  void clientsOfChaosKnowNoCluster() {
    noClasses()
        .that()
        .resideInAnyPackage("io.retso.chaos.work", "io.retso.chaos.load")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.retso.chaos.run", "io.retso.chaos.clients", "io.retso.cluster..")
        .check(BENCH);
  }

  @Test
  void theCheckerKnowsHistoriesOnly() {
    classes()
        .that()
        .resideInAPackage("io.retso.verify.check..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "java.lang..",
                "java.util..",
                "io.retso.verify.check..",
                "io.retso.verify.history.."))
        .check(BENCH);
  }

  @Test
  void theCheckerReadsHistoriesWithoutFiles() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.verify.check..")
        .should()
        .dependOnClassesThat(
            simpleNameStartingWith("HistoryReader").or(simpleNameStartingWith("HistoryRecorder")))
        .orShould()
        .dependOnClassesThat(
            resideInAnyPackage("java.util.concurrent..").or(simpleNameStartingWith("Random")))
        .check(BENCH);
  }

  @Test
  void historiesKnowNobody() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.verify.history..")
        .should()
        .dependOnClassesThat(
            not(resideInAnyPackage("java..", "io.retso.verify.history..", "io.retso.text")))
        .check(BENCH);
  }
}
