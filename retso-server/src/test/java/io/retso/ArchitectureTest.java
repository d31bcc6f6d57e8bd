package io.retso;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameStartingWith;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import io.retso.oracle.Changes;
import io.retso.oracle.Hold;
import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import io.retso.security.AccessTokens;
import io.retso.security.ClusterSecret;
import io.retso.security.ReceiptMaker;
import io.retso.security.Tickets;
import java.io.Serializable;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which package may know which. Data flows one way: net, front, sequencer, oracle, log. */
class ArchitectureTest {
  private static final JavaClasses SERVER =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("retso-client"))
          .importPackages("io.retso");

  private static final DescribedPredicate<JavaClass> LANGUAGE =
      resideInAnyPackage("java.lang..", "java.util..");
  private static final DescribedPredicate<JavaClass> NUMBERS_OF_THE_PROTOCOL =
      type(Outcome.class).or(type(Timestamps.class)).or(type(Limits.class));
  private static final DescribedPredicate<JavaClass> NETTY = resideInAPackage("io.netty..");
  private static final DescribedPredicate<JavaClass> BOOKKEEPER =
      resideInAPackage("org.apache.bookkeeper..");
  private static final DescribedPredicate<JavaClass> ZOOKEEPER =
      resideInAnyPackage("org.apache.zookeeper..", "org.apache.curator..");

  @Test
  void theOracleKnowsOnlyNumbers() {
    classes()
        .that()
        .resideInAPackage("io.retso.oracle..")
        .should()
        .onlyDependOnClassesThat(
            LANGUAGE.or(resideInAPackage("io.retso.oracle..")).or(NUMBERS_OF_THE_PROTOCOL))
        .because("it is deterministic and can be replayed: no threads, clock, I/O or logging")
        .check(SERVER);
    noClasses()
        .that()
        .resideInAPackage("io.retso.oracle..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.util.concurrent..", "java.util.random..", "java.util.logging..")
        .check(SERVER);
  }

  /** Memory of rows decides nothing, and only the oracle, which decides, reaches it. */
  @Test
  void onlyTheOracleKnowsItsMemoryOfRows() {
    classes()
        .that()
        .resideInAPackage("io.retso.oracle.rows")
        .should()
        .onlyDependOnClassesThat(LANGUAGE.or(resideInAPackage("io.retso.oracle.rows")))
        .check(SERVER);
    noClasses()
        .that()
        .resideOutsideOfPackage("io.retso.oracle..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.retso.oracle.rows")
        .check(SERVER);
  }

  @Test
  void theLogKnowsOfTheOracleOnlyItsChanges() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.log..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.retso..")
                .and(
                    not(
                        resideInAnyPackage("io.retso.log..", "io.retso.protocol..", "io.retso.text")
                            .or(type(Changes.class))
                            .or(type(Hold.class)))))
        .check(SERVER);
  }

  @Test
  void onlyAServerKnowsWhereTheLogIsKept() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.retso.log.bookkeeper", "io.retso.server..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.retso.log.bookkeeper")
        .because("a simulator gives ledgers of its own")
        .check(SERVER);
  }

  @Test
  void theSequencerKnowsNoNetworkAndNoServer() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.sequencer..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.retso.front..", "io.retso.net..", "io.retso.server..")
                .or(NETTY)
                .or(BOOKKEEPER)
                .or(ZOOKEEPER))
        .check(SERVER);
    noClasses()
        .that()
        .resideInAPackage("io.retso.member..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.retso.front..", "io.retso.net..", "io.retso.server..")
                .or(NETTY)
                .or(BOOKKEEPER)
                .or(ZOOKEEPER))
        .because("a simulator runs it")
        .check(SERVER);
    noClasses()
        .that()
        .resideInAPackage("io.retso.front..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.retso.net..", "io.retso.server..")
                .or(NETTY.and(not(resideInAPackage("io.netty.buffer..")))))
        .because("a simulator runs it, which has buffers but no sockets")
        .check(SERVER);
    noClasses()
        .that()
        .resideInAPackage("io.retso.net..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.retso.server..")
        .check(SERVER);
  }

  @Test
  void aMemberKnowsNoNetworkAndNoServer() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.member..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.retso.net..", "io.retso.server..")
                .or(NETTY)
                .or(BOOKKEEPER)
                .or(ZOOKEEPER))
        .because("a simulator runs it")
        .check(SERVER);
  }

  @Test
  void eachLibraryHasItsPlace() {
    DescribedPredicate<JavaClass> store = resideInAPackage("io.retso.log.bookkeeper");
    DescribedPredicate<JavaClass> embedded = resideInAPackage("io.retso.server.embedded");
    DescribedPredicate<JavaClass> roster =
        resideInAPackage("io.retso.server.members").and(simpleNameStartingWith("ZooKeeper"));
    noClasses()
        .that(topLevel(not(store.or(embedded))))
        .should()
        .dependOnClassesThat(BOOKKEEPER)
        .check(SERVER);
    noClasses()
        .that(topLevel(not(store.or(embedded).or(roster))))
        .should()
        .dependOnClassesThat(ZOOKEEPER)
        .check(SERVER);
    // BookKeeper's client takes entries as buffers of Netty.
    noClasses()
        .that(
            topLevel(
                not(
                    store.or(
                        resideInAnyPackage(
                            "io.retso.front..", "io.retso.net..", "io.retso.server..")))))
        .should()
        .dependOnClassesThat(NETTY)
        .check(SERVER);
  }

  @Test
  void packagesFormNoCycles() {
    slices().matching("io.retso.(**)").should().beFreeOfCycles().check(SERVER);
  }

  @Test
  void theServersRoomsKnowNothingAboveThem() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.retso.server.config", "io.retso.server.embedded", "io.retso.server.members")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.retso.server", "io.retso.server.observe", "io.retso.net..")
        .check(SERVER);
    noClasses()
        .that()
        .resideInAPackage("io.retso.server.observe")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.retso.server", "io.retso.server.embedded")
        .check(SERVER);
  }

  @Test
  void clocksAndSleepAndExitAreInjectedByTheServer() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.retso.server..")
        .should()
        .accessTargetWhere(READS_THE_WORLD)
        .because("a simulator must be able to give its own")
        .check(SERVER);
  }

  @Test
  void theClientMeetsTheWorldInItsLoop() {
    JavaClasses client =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.retso.client");
    DescribedPredicate<JavaClass> loop = resideInAPackage("io.retso.client.sockets");
    noClasses()
        .that(not(loop))
        .should()
        .dependOnClassesThat(NETTY.and(not(resideInAPackage("io.netty.buffer.."))))
        .because("a simulator runs it, which has buffers but no sockets")
        .check(client);
    noClasses()
        .that(
            not(loop).and(not(simpleNameStartingWith("OracleClientBuilder")))) // which draws a seed
        .should()
        .accessTargetWhere(READS_THE_WORLD)
        .because("a simulator must be able to give its own")
        .check(client);
  }

  private static final DescribedPredicate<JavaAccess<?>> READS_THE_WORLD =
      DescribedPredicate.describe(
          "reads a clock, sleeps, exits or draws random numbers",
          access -> {
            String owner = access.getTargetOwner().getName();
            String name = access.getTarget().getName();
            return switch (owner) {
              case "java.lang.System" ->
                  name.equals("currentTimeMillis")
                      || name.equals("nanoTime")
                      || name.equals("exit")
                      || name.equals("getenv");
              case "java.lang.Thread" -> name.equals("sleep");
              case "java.lang.Runtime" -> name.equals("exit") || name.equals("halt");
              case "java.lang.Math" -> name.equals("random");
              case "java.time.Instant", "java.time.LocalDateTime", "java.time.Clock" ->
                  name.equals("now") || name.startsWith("system");
              case "java.util.Random", "java.util.concurrent.ThreadLocalRandom" -> true;
              default -> false;
            };
          });

  @Test
  void cryptographyHasOneRoom() {
    DescribedPredicate<JavaClass> primitives =
        resideInAPackage("javax.crypto..")
            .or(type(MessageDigest.class))
            .or(type(Signature.class))
            .or(type(KeyPairGenerator.class));
    noClasses()
        .that()
        .resideOutsideOfPackage("io.retso.security")
        .should()
        .dependOnClassesThat(primitives)
        .check(SERVER);
    noClasses()
        .that()
        .resideInAPackage("io.retso.security")
        .should()
        .callMethod(Arrays.class, "equals", byte[].class, byte[].class)
        .because("it tells by its time where two secrets differ: MessageDigest.isEqual does not")
        .check(SERVER);
  }

  /** What could print, copy or store a secret in passing. */
  @Test
  void secretsHaveNoText() {
    for (Class<?> secret :
        List.of(ClusterSecret.class, Tickets.class, ReceiptMaker.class, AccessTokens.class)) {
      noClasses()
          .that(type(secret))
          .should()
          .beAssignableTo(Record.class)
          .orShould()
          .beAssignableTo(Serializable.class)
          .orShould(haveAText())
          .check(SERVER);
    }
  }

  private static ArchCondition<JavaClass> haveAText() {
    return ArchCondition.from(
        DescribedPredicate.describe(
            "have a toString of their own", each -> each.tryGetMethod("toString").isPresent()));
  }

  @Test
  void namesSayWhatAClassIsFor() {
    noClasses()
        .should()
        .haveNameMatching(".*(Impl|Utils?|Helper)")
        .orShould()
        .haveNameMatching(".*\\.(Abstract|Mock)[A-Z][^.]*")
        .check(SERVER);
  }

  /** Judges nested and anonymous classes by the class around them. */
  private static DescribedPredicate<JavaClass> topLevel(DescribedPredicate<JavaClass> predicate) {
    return DescribedPredicate.describe(
        predicate.getDescription(),
        nested -> {
          JavaClass top = nested;
          while (top.getEnclosingClass().isPresent()) {
            top = top.getEnclosingClass().get();
          }
          return predicate.test(top);
        });
  }
}
