/**
 * Known bugs, injected by an edit of a source file: the file is compiled with the edit, and tests
 * run on its classes in a class loader of their own. So no class has a seam for a bug.
 *
 * <p>For the tests of other modules, too.
 */
package io.retso.edited;
