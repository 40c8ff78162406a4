"""Combines the handlers of all commands."""

from collections.abc import Callable
from typing import Any

from engine.command_handlers.chats import ChatCommands
from engine.command_handlers.confirmations import ConfirmationCommands
from engine.command_handlers.definitions import DefinitionCommands
from engine.command_handlers.files import FileCommands
from engine.command_handlers.questions import QuestionCommands
from engine.command_handlers.servers import ServerCommands
from engine.command_handlers.settings import SettingCommands
from engine.command_handlers.toolsets import ToolsetCommands
from engine.commands import catalog as commands

__all__ = ["handlers"]


def handlers(
    chats: ChatCommands,
    files: FileCommands,
    questions: QuestionCommands,
    confirmations: ConfirmationCommands,
    toolsets: ToolsetCommands,
    definitions: DefinitionCommands,
    settings: SettingCommands,
) -> dict[type, Callable[[Any], Any]]:
    """Return the handler of each command."""
    return {
        **_of_chats(chats),
        **_of_files(files),
        **_of_questions(questions),
        **_of_calls(confirmations),
        **_of_toolsets(toolsets),
        **_of_servers(toolsets.servers),
        commands.SetDefinition: definitions.set,
        commands.ForgetDefinition: definitions.forget,
        commands.ChangeSetting: settings.change,
    }


def _of_chats(chats: ChatCommands) -> dict[type, Callable[[Any], Any]]:
    return {
        commands.CreateChat: chats.create,
        commands.RenameChat: chats.rename,
        commands.DeleteChat: chats.delete,
        commands.RestoreChat: chats.restore,
        commands.ArchiveChat: chats.archive,
        commands.UnarchiveChat: chats.unarchive,
        commands.ForkChat: chats.fork,
        commands.RewindChat: chats.rewind,
        commands.SelectTools: chats.select_tools,
        commands.SelectModel: chats.select_model,
        commands.SelectDepth: chats.select_depth,
        commands.SelectLeaf: chats.select_leaf,
    }


def _of_files(files: FileCommands) -> dict[type, Callable[[Any], Any]]:
    return {
        commands.UploadFiles: files.upload,
        commands.ReceiveFile: files.receive,
        commands.SaveFile: files.save,
        commands.RenameFile: files.rename,
        commands.RemoveFile: files.remove,
    }


def _of_questions(questions: QuestionCommands) -> dict[type, Callable[[Any], Any]]:
    return {
        commands.Ask: questions.ask_or_queue,
        commands.AskQueued: questions.queue.ask_now,
        commands.UnqueueQuestion: questions.queue.take_back,
        commands.MoveQueued: questions.queue.move,
        commands.RewordQueued: questions.queue.reword,
        commands.BeginChat: questions.begin,
        commands.Retry: questions.retry,
        commands.EditMessage: questions.edit,
        commands.StopTurn: questions.stop,
        commands.RunTool: questions.tools.run,
    }


def _of_calls(confirmations: ConfirmationCommands) -> dict[type, Callable[[Any], Any]]:
    return {
        commands.AnswerCall: confirmations.answer,
        commands.ApproveCall: confirmations.approve,
        commands.DenyCall: confirmations.deny,
        commands.AskAgain: confirmations.ask_again,
    }


def _of_toolsets(toolsets: ToolsetCommands) -> dict[type, Callable[[Any], Any]]:
    return {
        commands.InstallToolset: toolsets.install,
        commands.EnableToolset: toolsets.enable,
        commands.DisableToolset: toolsets.disable,
        commands.ConfigureToolset: toolsets.configure,
        commands.UninstallToolset: toolsets.uninstall,
        commands.RestoreToolset: toolsets.copies.restore,
        commands.EnableTool: toolsets.enable_tool,
        commands.DisableTool: toolsets.disable_tool,
        commands.SetRenderConfig: toolsets.rendering.set,
    }


def _of_servers(servers: ServerCommands) -> dict[type, Callable[[Any], Any]]:
    return {
        commands.RegisterServer: servers.register,
        commands.RemoveServer: servers.remove,
        commands.EnableServer: servers.enable,
        commands.DisableServer: servers.disable,
        commands.TrustServer: servers.trust,
    }
