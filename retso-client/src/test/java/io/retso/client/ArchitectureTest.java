package io.retso.client;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

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
import org.junit.jupiter.api.Test;

/** Which package of the client and the protocol may know which. */
class ArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.retso");

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
            "io.retso.protocol..")
        .check(MODULE);
  }

  /** Every program that uses an oracle has these on its class path. */
  @Test
  void theClientNeedsThreeLibraries() {
    noClasses()
        .should()
        .dependOnClassesThat(
            not(
                resideInAnyPackage(
                    "java..", "io.retso..", "io.netty..", "org.jctools..", "org.slf4j..")))
        .check(MODULE);
  }

  @Test
  void packagesFormNoCycles() {
    slices().matching("io.retso.(**)").should().beFreeOfCycles().check(MODULE);
  }

  /** What a program sees has no type of a library, and none that is not public. */
  @Test
  void publicSignaturesAreOfThisModuleAndTheLanguage() {
    List<String> leaks = new ArrayList<>();
    for (JavaClass type : MODULE.that(resideInAPackage("io.retso.client.."))) {
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
        || home.startsWith("io.retso.") && isPublic(type);
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
