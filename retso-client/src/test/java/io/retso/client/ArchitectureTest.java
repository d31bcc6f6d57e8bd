package io.retso.client;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.apache.yetus.audience.InterfaceAudience;
import org.junit.jupiter.api.Test;

/** Which package of the client and the protocol may know which. */
class ArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.retso");

  /** It makes what implements the interface, so it knows what is above. */
  private static final DescribedPredicate<JavaClass> THE_BUILDER =
      equivalentTo(OracleClientBuilder.class);

  /** The server has it, too, and the oracle uses its numbers. */
  @Test
  void theProtocolIsBytesAndNumbers() {
    classes()
        .that()
        .resideInAPackage("io.retso.protocol..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java.lang..",
            "java.util",
            "java.util.regex",
            "java.nio.charset",
            "io.netty.buffer..",
            "io.retso.protocol..",
            "io.retso.text")
        .check(MODULE);
  }

  /** docs/compatibility.md promises what is public. */
  @Test
  void whatIsForProgramsSaysSo() {
    List<String> wrong = new ArrayList<>();
    for (JavaClass type : MODULE) {
      boolean isFor =
          type.getPackageName().equals("io.retso.client")
              && type.getModifiers().contains(JavaModifier.PUBLIC)
              && !type.isNestedClass()
              && !type.isAnnotatedWith(InterfaceAudience.Private.class);
      if (isFor != type.isAnnotatedWith(InterfaceAudience.Public.class)) {
        wrong.add(type.getName() + (isFor ? " lacks" : " has") + " @InterfaceAudience.Public");
      }
    }
    assertEquals(List.of(), wrong);
  }

  /** Every program that uses an oracle has these on its class path. */
  @Test
  void theClientNeedsThreeLibraries() {
    noClasses()
        .should()
        .dependOnClassesThat(
            not(
                resideInAnyPackage(
                    "java..",
                    "javax.crypto..",
                    "javax.net.ssl..",
                    "javax.security.auth.x500..",
                    "javax.security.sasl..",
                    "io.retso..",
                    "io.netty..",
                    "org.jctools..",
                    "org.apache.yetus.audience..", // it is not needed to run
                    "org.slf4j..")))
        .check(MODULE);
  }

  @Test
  void cryptographyHasOneRoom() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.retso.proof")
        .should()
        .dependOnClassesThat(resideInAPackage("javax.crypto.."))
        .check(MODULE);
  }

  /**
   * An application may have filled the JVM's common pool, and what timers of the JDK complete may
   * block their thread: nothing of ours waits for either.
   */
  @Test
  void nothingRunsOnThreadsThatApplicationsBlock() {
    noClasses()
        .should()
        .accessTargetWhere(
            describe(
                "runs on the JVM's common pool or timer",
                access -> isOnThreadOfAll(access.getTarget())))
        .check(MODULE);
  }

  private static boolean isOnThreadOfAll(AccessTarget target) {
    String name = target.getName();
    if (!target.getOwner().isAssignableTo(CompletionStage.class)) {
      return target.getOwner().isEquivalentTo(ForkJoinPool.class)
          || Set.of("parallel", "parallelStream").contains(name);
    }
    return name.endsWith("Async")
            && target instanceof CodeUnitAccessTarget called
            && called.getRawParameterTypes().stream()
                .noneMatch(type -> type.isEquivalentTo(Executor.class))
        || Set.of("orTimeout", "completeOnTimeout", "delayedExecutor").contains(name);
  }

  @Test
  void packagesFormNoCycles() {
    slices()
        .matching("io.retso.(**)")
        .should()
        .beFreeOfCycles()
        .ignoreDependency(THE_BUILDER, alwaysTrue())
        .check(MODULE);
  }

  /** So that a program can have its own in unit tests. */
  @Test
  void theInterfaceKnowsNothingOfItsImplementation() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.client")
        .and(not(THE_BUILDER))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.retso.client.call..", "io.retso.client.connection..", "io.retso.client.sockets..")
        .check(MODULE);
    assertTrue(OracleClient.class.isInterface());
  }

  /** What a program sees has no type of a library, and none that is not for programs. */
  @Test
  void publicSignaturesAreOfThisModuleAndTheLanguage() {
    List<String> leaks = new ArrayList<>();
    for (JavaClass type : MODULE.that(resideInAPackage("io.retso.client"))) {
      for (JavaCodeUnit unit : type.getCodeUnits()) {
        if (isPublic(type) && unit.getModifiers().contains(JavaModifier.PUBLIC)) {
          Set<JavaClass> named = new HashSet<>(unit.getAllInvolvedRawTypes());
          named.removeIf(other -> isForPrograms(other.getBaseComponentType()));
          if (!named.isEmpty()) {
            leaks.add(unit.getFullName() + " names " + named);
          }
        }
      }
    }
    assertEquals(List.of(), leaks);
  }

  private static boolean isForPrograms(JavaClass type) {
    String home = type.getPackageName();
    return type.isPrimitive()
        || home.startsWith("java.")
        || List.of("io.retso.client", "io.retso.protocol").contains(home) && isPublic(type);
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC);
  }

  @Test
  void namesSayWhatAClassIsFor() {
    noClasses()
        .should()
        .haveNameMatching(".*(Impl|Utils?|Helper)")
        .orShould()
        .haveNameMatching(".*\\.(Abstract|Mock)[A-Z][^.]*")
        .check(MODULE);
  }
}
