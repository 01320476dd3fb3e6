# SPDX-License-Identifier: ISC
# fish completion for all commands of kst: --help=rows has each option with its
# letter, argument, values and meaning.

function __kst_options # COMMAND: what may follow it, with what it means
    set -l before (commandline -opc)[-1]
    set -l options
    for row in ($argv[1] --help=rows 2>/dev/null)
        set -l field (string split \t -- $row) # letter name argument values meaning
        test -n "$field[5]"; or continue
        if test -n "$field[4]"; and contains -- "$before" --$field[2] -$field[1]
            for value in (string split -n ' ' -- $field[4])
                echo $value\t$field[2]
            end
            return
        end
        set -a options --$field[2]\t$field[5]
        for value in (string split -n ' ' -- $field[4])
            set -a options --$field[2]=$value\t$field[5]
        end
    end
    string join \n -- $options
end

for command in kst (complete -C 'kst-' | string match -r '^kst-[a-z]+')
    if test $command = kst
        complete -c kst -n __fish_use_subcommand -f \
            -a "help (complete -C 'kst-' | string replace -rf '^kst-([a-z]+).*' '\$1')"
        complete -c kst -n 'not __fish_use_subcommand' \
            -a '(__kst_options kst-(commandline -opc)[2])'
    else
        complete -c $command -a "(__kst_options $command)"
    end
end
